// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Synchronization
import Testing

/// Memory and leaks of a known size.
enum Planted {
    private static let runs = Atomic(0)
    /// The sum of the bytes read, so that the compiler cannot leave out the reading.
    private static let pageSum = Atomic(0)

    /// Counts the runs of the one test that runs in this process, from 1.
    static func countRun() -> Int { runs.wrappingAdd(1, ordering: .relaxed).newValue }

    /// Where the last block is, so that the compiler cannot leave it out.
    nonisolated(unsafe) static var lastBlock: UnsafeMutableRawPointer?

    /// Fills so many mebibytes, reads them, and lets go of them.
    static func sum(ofMebibytes count: Int) -> Int {
        let bytes = [UInt8](repeating: 0xA5, count: count << 20)
        return stride(from: 0, to: bytes.count, by: 4096).reduce(0) { $0 + Int(bytes[$1]) }
    }

    /// Starts a thread that loads four mebibytes of this program's file, in steps shorter than a quiet moment.
    static func loadProgramPages() throws {
        let (file, size) = (open("/proc/self/exe", O_RDONLY), 4 << 20)
        nonisolated(unsafe) let pages = try #require(mmap(nil, size, PROT_READ, MAP_PRIVATE, file, 0))
        Thread.detachNewThread {
            for offset in stride(from: 0, to: size, by: 1 << 16) {
                pageSum.add(Int(pages.load(fromByteOffset: offset, as: UInt8.self)), ordering: .relaxed)
                usleep(1_000)
            }
        }
    }

    static func leak(bytes: Int) {
        lastBlock = malloc(bytes)
        lastBlock?.initializeMemory(as: UInt8.self, repeating: 0xA5, count: bytes)
    }
}
