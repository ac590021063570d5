// SPDX-License-Identifier: Apache-2.0

import Foundation
package import MemProbe

/// Figures in readable form: always MiB, never "MB".
package enum ByteText {
    /// Returns bytes in MiB with one decimal place: `12.5 MiB`.
    package static func mebibytes(_ bytes: Double) -> String {
        fixed(bytes / 1_048_576, places: 1) + " MiB"
    }

    package static func mebibytes(_ count: ByteCount) -> String {
        mebibytes(Double(count.rawValue))
    }

    package static func signedMebibytes(_ bytes: Int) -> String {
        (bytes > 0 ? "+" : "") + mebibytes(Double(bytes))
    }

    /// Returns a number with a fixed number of decimal places; a rounded zero has no sign.
    package static func fixed(_ value: Double, places: Int) -> String {
        let text = String(format: "%.\(places)f", value)
        return text.hasPrefix("-") && !text.contains { ("1"..."9").contains($0) } ? String(text.dropFirst()) : text
    }
}

/// Short durations as typed: `200us`, `1ms`, `0`.
package enum DurationText {
    private static let units: [(symbol: String, nanoseconds: Int)] = [
        ("s", 1_000_000_000), ("ms", 1_000_000), ("us", 1000), ("ns", 1),
    ]

    /// Returns the nanoseconds of a whole number with its unit; only `0` needs no unit.
    package static func nanoseconds(parsing text: String) -> Int? {
        let digits = text.prefix { ("0"..."9").contains($0) }
        guard let number = Int(digits) else { return nil }
        let symbol = text.dropFirst(digits.count)
        if symbol.isEmpty { return number == 0 ? 0 : nil }
        guard let unit = units.first(where: { $0.symbol == symbol }) else { return nil }
        let product = number.multipliedReportingOverflow(by: unit.nanoseconds)
        return product.overflow ? nil : product.partialValue
    }

    /// Returns the duration in the largest unit without a fraction.
    package static func text(ofNanoseconds nanoseconds: Int) -> String {
        guard nanoseconds != 0, let unit = units.first(where: { nanoseconds % $0.nanoseconds == 0 }) else { return "0" }
        return "\(nanoseconds / unit.nanoseconds)\(unit.symbol)"
    }

    /// Returns the whole seconds of a duration as on a clock: `0:07`, `2:10`, `1:02:10`.
    package static func clock(_ duration: Duration) -> String {
        let seconds = max(0, Int(duration.components.seconds))
        let two = { (number: Int) in (number < 10 ? "0" : "") + "\(number)" }
        let minutes = seconds / 60
        guard minutes >= 60 else { return "\(minutes):\(two(seconds % 60))" }
        return "\(minutes / 60):\(two(minutes % 60)):\(two(seconds % 60))"
    }
}
