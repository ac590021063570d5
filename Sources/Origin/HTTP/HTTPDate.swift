// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A time in the format of headers (IMF-fixdate, RFC 9110, section 5.6.7): `Sun, 06 Nov 1994 08:49:37 GMT`.
///
/// Computed here because `strftime(3)` uses the names of the machine's locale.
package struct HTTPDate: Hashable, Sendable {
    package let text: String

    package static var now: HTTPDate { HTTPDate(secondsSince1970: Int(time(nil))) }

    /// Formats a time from 1970 on.
    package init(secondsSince1970 seconds: Int) {
        let days = seconds / 86_400
        let (year, month, day) = Self.date(days)
        let clock = [seconds / 3600 % 24, seconds / 60 % 60, seconds % 60].map(Self.padded).joined(separator: ":")
        text = "\(Self.weekdays[days % 7]), \(Self.padded(day)) \(Self.months[month - 1]) \(year) \(clock) GMT"
    }

    /// 1 January 1970 was a Thursday.
    private static let weekdays = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    private static func padded(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

    /// The Gregorian date of a number of days after 1 January 1970.
    private static func date(_ days: Int) -> (year: Int, month: Int, day: Int) {
        // Years that begin in March have their leap day at the end: 153 days in every five months.
        let sinceMarch = days + 719_468
        let era = sinceMarch / 146_097
        let ofEra = sinceMarch % 146_097
        let yearOfEra = (ofEra - ofEra / 1460 + ofEra / 36_524 - ofEra / 146_096) / 365
        let ofYear = ofEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let index = (5 * ofYear + 2) / 153
        let month = index < 10 ? index + 3 : index - 9
        return (era * 400 + yearOfEra + (month <= 2 ? 1 : 0), month, ofYear - (153 * index + 2) / 5 + 1)
    }
}
