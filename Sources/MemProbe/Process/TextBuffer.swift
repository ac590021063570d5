// SPDX-License-Identifier: Apache-2.0

/// A buffer for one file of `/proc`, allocated once so that reading allocates nothing.
struct TextBuffer: ~Copyable, @unchecked Sendable {
    /// The number of bytes that fit by default.
    ///
    /// A `status` is 1.5 KiB long, but one of its lines lists all groups of the user: 64 KiB fit 5,000 groups. The
    /// kernel touches only the part that it fills, so the rest costs no memory.
    static let standardCapacity = 65536

    let start: UnsafeMutablePointer<UInt8>
    let capacity: Int

    init(capacity: Int = TextBuffer.standardCapacity) {
        self.capacity = capacity
        start = .allocate(capacity: capacity)
        // Most files fit in one page, which is touched now instead of in the first measurement.
        start.initialize(repeating: 0, count: min(capacity, 4096))
    }

    deinit {
        start.deallocate()
    }

    /// Returns the bytes that were read last.
    borrowing func prefix(_ count: Int) -> UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: start, count: count)
    }
}
