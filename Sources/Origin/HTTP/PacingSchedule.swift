// SPDX-License-Identifier: Apache-2.0

package import Runs
import Synchronization

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

    package init?(_ rate: TransferRate) {
        guard let bytes = rate.bytesPerSecond else { return nil }
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

extension PacingSchedule {
    /// The line that all answers of an origin with a shared rate have together: a piece is due when those that were asked
    /// for before it have gone.
    final class SharedLine: Sendable {
        /// The time that a busy machine may be late without slowing the line, in nanoseconds.
        private static let patience: UInt64 = 50_000_000

        private let free = Mutex(UInt64(0))

        /// Takes the line for some bytes, and returns the time at which they have gone.
        func take(_ byteCount: Int, at now: UInt64, _ schedule: PacingSchedule) -> UInt64 {
            free.withLock { free in
                let isIdle = now > Self.patience && free < now - Self.patience
                let start = isIdle ? now : free
                let (end, overflow) = start.addingReportingOverflow(schedule.nanoseconds(through: byteCount))
                free = overflow ? .max : end
                return free
            }
        }
    }
}
