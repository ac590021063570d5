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

    private func keep(_ body: [UInt8], of url: URL) {
        kept.withLock { kept in
            switch keeping {
            case .nothing: break
            case .records:
                kept.last = Unmanaged.passRetained(Record(after: kept.last, byteCount: body.count)).toOpaque()
            case .firstBodies(let count):
                if kept.bodies[url, default: []].count < count { kept.bodies[url, default: []].append(body) }
            }
        }
    }
}
