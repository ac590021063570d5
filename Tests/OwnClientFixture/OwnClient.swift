// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import Synchronization
import TrialKit

/// A client of HTTP/1.1 on a blocking socket, one connection a request, that may keep something on purpose.
final class OwnClient: Sendable {
    /// What it keeps of each request.
    enum Keeping: Hashable {
        /// Nothing.
        case nothing
        /// A record that nobody releases.
        case records
        /// The first bodies of each URL.
        case firstBodies(Int)
        /// Nothing, but each request needs 1 KiB more than the one before it for a while, which the allocator keeps.
        case scratch
    }

    /// An object of 56 bytes, 16 of them its head: a block of 64 in glibc and in jemalloc.
    private final class Record {
        let previous: UnsafeMutableRawPointer?
        let byteCount: Int
        let times = (0, 0, 0)

        init(after previous: UnsafeMutableRawPointer?, byteCount: Int) {
            self.previous = previous
            self.byteCount = byteCount
        }
    }

    // Unchecked: nobody follows the pointer.
    private struct Kept: @unchecked Sendable {
        var last: UnsafeMutableRawPointer?
        var bodies: [URL: [[UInt8]]] = [:]
        var scratchCount = 0
    }

    private let keeping: Keeping
    private let kept = Mutex(Kept())

    init(_ keeping: Keeping) {
        self.keeping = keeping
    }

    /// The body at a URL of plain http on an address in numbers.
    func body(of url: URL) throws(FetchFailure) -> [UInt8] {
        let body = try OwnConnection(to: url).body(at: url)
        keep(body, of: url)
        return body
    }

    /// Allocates blocks, and frees all but the last, which keeps the allocator from giving the others back, and the last
    /// one of the request before.
    private static func scratch(_ kept: inout Kept) {
        kept.scratchCount += 1
        var freed = kept.last
        for _ in 0..<kept.scratchCount {
            let block = UnsafeMutableRawPointer.allocate(byteCount: 1024, alignment: 16)
            memset(block, 1, 1024)
            block.storeBytes(of: freed, as: UnsafeMutableRawPointer?.self)
            freed = block
        }
        kept.last = freed
        var next = freed?.load(as: UnsafeMutableRawPointer?.self)
        while let block = next {
            next = block.load(as: UnsafeMutableRawPointer?.self)
            block.deallocate()
        }
        kept.last?.storeBytes(of: nil, as: UnsafeMutableRawPointer?.self)
    }

    private func keep(_ body: [UInt8], of url: URL) {
        kept.withLock { kept in
            switch keeping {
            case .nothing: break
            case .records:
                kept.last = Unmanaged.passRetained(Record(after: kept.last, byteCount: body.count)).toOpaque()
            case .firstBodies(let count):
                if kept.bodies[url, default: []].count < count { kept.bodies[url, default: []].append(body) }
            case .scratch:
                Self.scratch(&kept)
            }
        }
    }
}
