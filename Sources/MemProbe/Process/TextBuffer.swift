// SPDX-License-Identifier: Apache-2.0

/// Room for one file of `/proc`, allocated once so that reading allocates nothing.
struct TextBuffer: ~Copyable, @unchecked Sendable {
    /// How many bytes fit, in bytes.
    ///
    /// A `status` is 1.5 KiB long, but one of its lines names every group of the user: 64 KiB are 5,000 groups.
    /// The kernel touches no more of the buffer than it fills, so the rest costs no memory.
    static let standardCapacity = 65536

    let start: UnsafeMutablePointer<UInt8>
    let capacity: Int

    init(capacity: Int = TextBuffer.standardCapacity) {
        self.capacity = capacity
        start = .allocate(capacity: capacity)
        // The page that every file fits in is touched now, not in the first measurement.
        start.initialize(repeating: 0, count: min(capacity, 4096))
    }

    deinit {
        start.deallocate()
    }

    /// The bytes that were read last.
    borrowing func prefix(_ count: Int) -> UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: start, count: count)
    }
}
