// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import MemProbe
package import NIOHTTP1
import Synchronization

/// The statistics and the log of an origin, written by its event loops and read from any thread.
package final class Ledger: Sendable {
    struct State {
        var statistics = OriginStatistics()
        var log = RequestLog()
        var lastRequest = 0
        var lastConnection = 0
        /// The open connections that have sent a request.
        var busyConnections = 0
        var concurrentRequests = 0
        /// The number of requests for each target that changes.
        var visits: [String: Int] = [:]
        var isStopping = false
    }

    /// The number of paths, and of changing targets, that are told apart.
    static let maximumPaths = 1000

    let state = Mutex(State())

    private let clock: @Sendable () -> Int

    private let journal: SentJournal?

    package init(journal: SentJournal? = nil, clock: @escaping @Sendable () -> Int = MonotonicClock.now) {
        self.journal = journal
        self.clock = clock
    }

    package var statistics: OriginStatistics { state.withLock { $0.statistics } }

    package var requests: [RequestRecord] { state.withLock { $0.log.inOrder }.map(\.record) }

    func opened() {
        state.withLock {
            $0.statistics.connectionsAccepted += 1
            $0.statistics.openConnections += 1
        }
    }

    func closed(hasAsked: Bool) {
        state.withLock {
            $0.statistics.openConnections -= 1
            if hasAsked { $0.busyConnections -= 1 }
        }
    }

    /// Removes an observer's connection from the count: observing must not change the statistics.
    func disowned() {
        state.withLock {
            $0.statistics.connectionsAccepted -= 1
            $0.statistics.openConnections -= 1
        }
    }

    func hasAsked() {
        state.withLock {
            $0.busyConnections += 1
            $0.statistics.mostOpenConnections = max($0.statistics.mostOpenConnections, $0.busyConnections)
        }
    }

    /// Logs a request; its first request gives a connection its number.
    @discardableResult
    package func began(_ head: HTTPRequestHead, _ request: OriginRequest?, on connection: inout Int?) -> RequestEntry {
        state.withLock { state in
            if connection == nil { state.lastConnection += 1 }
            let ofConnection = connection ?? state.lastConnection
            connection = ofConnection
            state.lastRequest += 1
            let entry = RequestEntry(
                RequestRecord(
                    head, request, number: state.lastRequest, connection: ofConnection, beganNanoseconds: clock()))
            state.log.append(entry)
            state.concurrentRequests += 1
            Self.count(request?.path ?? "*", in: &state.statistics)
            state.statistics.mostConcurrentRequests = max(
                state.statistics.mostConcurrentRequests, state.concurrentRequests)
            return entry
        }
    }

    /// Ends a request, unless something else has ended it already.
    func ended(_ entry: RequestEntry, _ ending: RequestRecord.Ending) {
        let now = clock()
        state.withLock { state in
            let isOurs = ending == .abandoned && state.isStopping
            if entry.end(isOurs ? .cut : ending, at: now) { state.concurrentRequests -= 1 }
        }
        journal?.flush()
    }

    /// Attributes connections that are lost from now on to the origin instead of the client.
    func stopping() {
        state.withLock { $0.isStopping = true }
    }

    /// Counts bytes of a body that the kernel has taken.
    func sent(_ bytes: Int, in request: RequestEntry?) {
        state.withLock { $0.statistics.bytesSent += ByteCount(bytes) }
        journal?.note(bytes, at: clock(), overHTTP2: request?.isHTTP2 == true)
    }

    /// The number of requests for this path and query, including this one.
    ///
    /// After 1,000 different ones a new one is refused, so that no client can make the origin grow.
    func visits(to request: OriginRequest) throws(Refusal) -> Int {
        let query = request.query.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        let target = "\(request.path)?\(query.joined(separator: "&"))"
        let visits: Int? = state.withLock { state in
            guard state.visits[target] != nil || state.visits.count < Self.maximumPaths else { return nil }
            state.visits[target, default: 0] += 1
            return state.visits[target]
        }
        guard let visits else {
            throw Refusal(.serviceUnavailable, "the origin keeps count of \(Self.maximumPaths) changing paths at most")
        }
        return visits
    }

    private static func count(_ path: String, in statistics: inout OriginStatistics) {
        let key = statistics.paths[path] != nil || statistics.paths.count < maximumPaths ? path : "*"
        statistics.paths[key, default: 0] += 1
        statistics.requests += 1
    }
}

extension Ledger {
    func statisticsJSON() throws(Refusal) -> [UInt8] {
        try Self.json(statistics)
    }

    static func json(_ value: some Encodable) throws(Refusal) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            return Array(try encoder.encode(value)) + [UInt8(ascii: "\n")]
        } catch {
            throw Refusal(.internalServerError, "the count cannot be encoded: \(error)")
        }
    }
}
