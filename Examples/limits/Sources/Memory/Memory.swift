// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Memory that is asked for and written to, so that it is resident: what a download or a decoded picture holds.
public final class HeldMemory: Sendable {
    private let bytes: [UInt8]

    /// Fills so many mebibytes.
    public init(mebibytes: Int) {
        bytes = [UInt8](repeating: 0xA5, count: mebibytes << 20)
    }

    /// The sum of a byte in each page: whoever reads them needs them.
    public var checksum: Int {
        stride(from: 0, to: bytes.count, by: 4096).reduce(0) { $0 + Int(bytes[$1]) }
    }
}

/// Where the last block is, so that the compiler cannot leave it out.
nonisolated(unsafe) public var lastBlock: UnsafeMutableRawPointer?

/// A block that nobody frees.
public func leak(bytes: Int) {
    lastBlock = malloc(bytes)
    lastBlock?.initializeMemory(as: UInt8.self, repeating: 0xA5, count: bytes)
}

/// A block that is freed.
public func borrow(bytes: Int) -> Int {
    let block = [UInt8](repeating: 0xA5, count: bytes)
    return block.reduce(0) { $0 + Int($1) }
}
