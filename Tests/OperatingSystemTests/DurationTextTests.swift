// SPDX-License-Identifier: Apache-2.0

import OperatingSystem
import Testing
import Texts

struct DurationTextTests {
    @Test(arguments: [
        ("0", 0), ("0ms", 0), ("1ns", 1), ("200us", 200_000), ("1ms", 1_000_000), ("1500us", 1_500_000),
        ("2s", 2_000_000_000),
    ])
    func aDurationIsAWholeNumberWithItsUnit(text: String, nanoseconds: Int) {
        #expect(DurationText.nanoseconds(parsing: text) == nanoseconds)
    }

    @Test(arguments: [
        "", "5", "us", "1.5ms", "-1us", "1 us", "1US", "1m", "9999999999999999999ns", "99999999999s", "+1us",
    ])
    func whatIsNoDurationIsRefused(text: String) {
        #expect(DurationText.nanoseconds(parsing: text) == nil)
    }

    @Test(arguments: [0, 1, 999, 1000, 200_000, 1_000_000, 1_500_000, 3_000_000_000])
    func aDurationComesBackFromItsText(nanoseconds: Int) {
        #expect(DurationText.nanoseconds(parsing: DurationText.text(ofNanoseconds: nanoseconds)) == nanoseconds)
    }
}
