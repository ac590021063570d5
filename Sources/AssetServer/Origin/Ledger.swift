// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import MemProbe
import NIOHTTP1
import Synchronization

/// The count of an origin, written by its event loops and read by anyone.
package final class Ledger: Sendable {
    /// How many paths are told apart.
    private static let maximumPaths = 1000

    private let count = Mutex(OriginStatistics())

    /// Creates a count of nothing.
    package init() {}

    /// The count now.
    package var statistics: OriginStatistics { count.withLock { $0 } }

    /// A connection was accepted.
    func opened() {
        count.withLock {
            $0.connectionsAccepted += 1
            $0.openConnections += 1
        }
    }

    /// A counted connection is gone.
    func closed() {
        count.withLock { $0.openConnections -= 1 }
    }

    /// A connection turns out to be an observer's, which must not change what it observes.
    func disowned() {
        count.withLock {
            $0.connectionsAccepted -= 1
            $0.openConnections -= 1
        }
    }

    /// A request was read.
    package func requested(_ path: String) {
        count.withLock {
            let key = $0.paths[path] != nil || $0.paths.count < Self.maximumPaths ? path : "*"
            $0.paths[key, default: 0] += 1
            $0.requests += 1
        }
    }

    /// The kernel has taken bytes of a body.
    func sent(_ bytes: Int) {
        count.withLock { $0.bytesSent += ByteCount(bytes) }
    }

    /// The count as the JSON of `/stats`.
    func json() throws(Refusal) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            return Array(try encoder.encode(statistics)) + [UInt8(ascii: "\n")]
        } catch {
            throw Refusal(.internalServerError, "the count cannot be encoded: \(error)")
        }
    }
}
