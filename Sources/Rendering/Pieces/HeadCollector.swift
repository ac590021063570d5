// SPDX-License-Identifier: Apache-2.0

/// A buffer for the first bytes of an arriving picture, until they suffice to parse its header.
struct HeadCollector {
    private(set) var bytes: [UInt8] = []
    private let byteCount: Int

    init(byteCount: Int) {
        self.byteCount = byteCount
    }

    /// Takes the next bytes; returns the head once, when it is complete, and the bytes after it.
    mutating func take(_ next: UnsafeRawBufferPointer) -> (head: [UInt8]?, rest: UnsafeRawBufferPointer) {
        guard bytes.count < byteCount else { return (nil, next) }
        let first = next.prefix(byteCount - bytes.count)
        bytes += first
        let rest = UnsafeRawBufferPointer(rebasing: next.dropFirst(first.count))
        return (bytes.count == byteCount ? bytes : nil, rest)
    }
}
