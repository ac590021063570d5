// SPDX-License-Identifier: Apache-2.0

import MemProbe
package import Runs

/// The due times of the parts of a body, relative to the body's beginning.
///
/// The schedule is absolute: a late chunk does not delay the next one, so nothing drifts and every request has the same
/// timing.
package struct PacingSchedule: Hashable, Sendable {
    /// The bytes per chunk: 64 KiB, or less if that takes more than 10 ms at this rate.
    package let chunkByteCount: Int

    private let bytesPerSecond: Int

    package init(bytesPerSecond: Int) {
        precondition(bytesPerSecond > 0, "nothing would ever arrive")
        self.bytesPerSecond = bytesPerSecond
        self.chunkByteCount = min(64 * 1024, max(1, bytesPerSecond / 100))
    }

    /// Creates the schedule of a rate, or returns `nil` for an unlimited one.
    package init?(_ rate: TransferRate) {
        guard case .bytesPerSecond(let bytes) = rate else { return nil }
        self.init(bytesPerSecond: bytes.rawValue)
    }

    /// The time at which the first `byteCount` bytes may have been sent, in nanoseconds from the body's beginning.
    ///
    /// A chunk is due when the rate would have carried all of it, so a body takes its size divided by the rate.
    package func nanoseconds(through byteCount: Int) -> UInt64 {
        let (seconds, rest) = byteCount.quotientAndRemainder(dividingBy: bytesPerSecond)
        // The rest is below the rate, so this quotient is below 10⁹ and the division cannot overflow.
        let product = UInt64(rest).multipliedFullWidth(by: 1_000_000_000)
        let fraction = UInt64(bytesPerSecond).dividingFullWidth(product).quotient
        let (whole, overflow) = UInt64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
        return overflow ? .max : whole.addingReportingOverflow(fraction).overflow ? .max : whole + fraction
    }
}
