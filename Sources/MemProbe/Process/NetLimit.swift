// SPDX-License-Identifier: Apache-2.0

/// A limit of memory without program pages, whose number depends on the page cache and not on the program.
///
/// They take a thousand times as long to read as a resident set, and hardly change: they are read only where the limit
/// and those that are known are exceeded.
struct NetLimit: Sendable {
    private let limit: ByteCount
    private var programPages = ByteCount.zero

    init(_ limit: ByteCount) { self.limit = limit }

    /// Returns what is held without program pages if that is over the limit.
    ///
    /// - Parameters:
    ///   - resident: what is held with them.
    ///   - read: reads the program pages within; `nil` if the kernel hides them, so that they count.
    mutating func excess(of resident: ByteCount, programPages read: () -> ByteCount?) -> ByteCount? {
        guard resident > limit + programPages else { return nil }
        programPages = read() ?? .zero
        return resident > limit + programPages ? resident - programPages : nil
    }
}
