// SPDX-License-Identifier: Apache-2.0

import Glibc
import Synchronization

/// Memory and leaks of a known size.
enum Planted {
    private static let runs = Atomic(0)

    /// Counts the runs of the one test that runs in this process, from 1.
    static func countRun() -> Int { runs.wrappingAdd(1, ordering: .relaxed).newValue }

    /// Where the last block is, so that the compiler cannot leave it out.
    nonisolated(unsafe) static var lastBlock: UnsafeMutableRawPointer?

    /// Fills so many mebibytes, reads them, and lets go of them.
    static func sum(ofMebibytes count: Int) -> Int {
        let bytes = [UInt8](repeating: 0xA5, count: count << 20)
        return stride(from: 0, to: bytes.count, by: 4096).reduce(0) { $0 + Int(bytes[$1]) }
    }

    /// A block that nobody frees.
    static func leak(bytes: Int) {
        lastBlock = malloc(bytes)
        lastBlock?.initializeMemory(as: UInt8.self, repeating: 0xA5, count: bytes)
    }
}
