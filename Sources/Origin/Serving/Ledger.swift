// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import MemProbe
package import NIOHTTP1
import Synchronization

/// The count of an origin and its log, written by its event loops and read by anyone.
package final class Ledger: Sendable {
    struct State {
        var statistics = OriginStatistics()
        var log = RequestLog()
        var lastRequest = 0
        var lastConnection = 0
        /// The open connections that have asked for something.
        var busyConnections = 0
        var concurrentRequests = 0
        /// How often a target that changes was asked for.
        var visits: [String: Int] = [:]
        /// Whether the origin is ending its connections.
        var isStopping = false
    }

    /// How many paths, and how many targets that change, are told apart.
    static let maximumPaths = 1000

    let state = Mutex(State())

    /// The time on the clock `CLOCK_MONOTONIC`, in nanoseconds.
    private let clock: @Sendable () -> Int

    /// When bytes were sent, or `nil` where nobody asks.
    private let journal: SentJournal?

    package init(
        journal: SentJournal? = nil, clock: @escaping @Sendable () -> Int = Ledger.monotonicNanoseconds
    ) {
        self.journal = journal
        self.clock = clock
    }

    /// The count now.
    package var statistics: OriginStatistics { state.withLock { $0.statistics } }

    /// The last requests, the oldest first.
    package var requests: [RequestRecord] { state.withLock { $0.log.inOrder }.map(\.record) }

    /// The time since the machine was started, in nanoseconds.
    ///
    /// The corresponding call is `clock_gettime(2)` with `CLOCK_MONOTONIC`.
    package static func monotonicNanoseconds() -> Int {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int(time.tv_sec) * 1_000_000_000 + Int(time.tv_nsec)
    }

    func opened() {
        state.withLock {
            $0.statistics.connectionsAccepted += 1
            $0.statistics.openConnections += 1
        }
    }

    /// A counted connection is gone.
    func closed(hasAsked: Bool) {
        state.withLock {
            $0.statistics.openConnections -= 1
            if hasAsked { $0.busyConnections -= 1 }
        }
    }

    /// A connection turns out to be an observer's, which must not change what it observes.
    func disowned() {
        state.withLock {
            $0.statistics.connectionsAccepted -= 1
            $0.statistics.openConnections -= 1
        }
    }

    /// A counted connection asks for the first time.
    func hasAsked() {
        state.withLock {
            $0.busyConnections += 1
            $0.statistics.mostOpenConnections = max($0.statistics.mostOpenConnections, $0.busyConnections)
        }
    }

    /// A request was read, on a connection whose number is found out with its first one.
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

    /// A request has ended; what ended it first is what counts.
    func ended(_ entry: RequestEntry, _ ending: RequestRecord.Ending) {
        let now = clock()
        state.withLock { state in
            let isOurs = ending == .abandoned && state.isStopping
            if entry.end(isOurs ? .cut : ending, at: now) { state.concurrentRequests -= 1 }
        }
        journal?.flush()
    }

    /// Whoever loses its connection from now on loses it to the origin.
    func stopping() {
        state.withLock { $0.isStopping = true }
    }

    /// The kernel has taken bytes of a body.
    func sent(_ bytes: Int) {
        state.withLock { $0.statistics.bytesSent += ByteCount(bytes) }
        journal?.note(bytes, at: clock())
    }

    /// How often this path and query was asked for, this time included.
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
    /// The count as the JSON of `/stats`.
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
