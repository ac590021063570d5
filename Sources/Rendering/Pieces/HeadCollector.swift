// SPDX-License-Identifier: Apache-2.0

/// Collects the first bytes of a picture on its way, until there are enough of them to tell what it is.
struct HeadCollector {
    /// What has come of the head by now.
    private(set) var bytes: [UInt8] = []
    private let byteCount: Int

    /// Waits for a head of this many bytes.
    init(byteCount: Int) {
        self.byteCount = byteCount
    }

    /// Takes the next bytes.
    ///
    /// - Returns: The head with the bytes that complete it, and `nil` before and after; and those that lie behind it.
    mutating func take(_ next: UnsafeRawBufferPointer) -> (head: [UInt8]?, rest: UnsafeRawBufferPointer) {
        guard bytes.count < byteCount else { return (nil, next) }
        let first = next.prefix(byteCount - bytes.count)
        bytes += first
        let rest = UnsafeRawBufferPointer(rebasing: next.dropFirst(first.count))
        return (bytes.count == byteCount ? bytes : nil, rest)
    }
}
