// SPDX-License-Identifier: Apache-2.0

import MemProbe
package import Runs

/// When each part of a body is due, counted from the body's beginning.
///
/// The schedule is absolute: a chunk that was late does not move the next one, so nothing drifts and the same
/// request always arrives in the same rhythm.
package struct PacingSchedule: Hashable, Sendable {
    /// How much is sent at one time, in bytes: 64 KiB, and less where that is over 10 ms of the rate.
    package let chunkByteCount: Int

    /// The rate in bytes a second.
    private let bytesPerSecond: Int

    /// Creates a schedule of so many bytes a second, more than 0.
    package init(bytesPerSecond: Int) {
        precondition(bytesPerSecond > 0, "nothing would ever arrive")
        self.bytesPerSecond = bytesPerSecond
        self.chunkByteCount = min(64 * 1024, max(1, bytesPerSecond / 100))
    }

    /// The schedule of a rate, or `nil` for what is not paced.
    package init?(_ rate: TransferRate) {
        guard case .bytesPerSecond(let bytes) = rate else { return nil }
        self.init(bytesPerSecond: bytes.rawValue)
    }

    /// When so many bytes of the body may have been sent, in nanoseconds from the body's beginning.
    ///
    /// A chunk is due when the rate would have carried it whole, so a body takes its size divided by the rate.
    package func nanoseconds(through byteCount: Int) -> UInt64 {
        let (seconds, rest) = byteCount.quotientAndRemainder(dividingBy: bytesPerSecond)
        // The rest is below the rate, so this quotient is below 10⁹ and the division cannot overflow.
        let product = UInt64(rest).multipliedFullWidth(by: 1_000_000_000)
        let fraction = UInt64(bytesPerSecond).dividingFullWidth(product).quotient
        let (whole, overflow) = UInt64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
        return overflow ? .max : whole.addingReportingOverflow(fraction).overflow ? .max : whole + fraction
    }
}
