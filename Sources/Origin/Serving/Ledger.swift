// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
package import MemProbe
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
        var visits: [String: Int] = [:]
        var isStopping = false
    }

    /// The number of paths, and of changing targets, that are told apart.
    static let maximumPaths = 1000

    let state = Mutex(State())

    private let clock: @Sendable () -> Int

    private let journal: SentJournal?

    package init(journal: SentJournal? = nil, clock: @escaping @Sendable () -> Int = MonotonicClock.now) {
        (self.journal, self.clock) = (journal, clock)
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

    func ended(_ entry: RequestEntry, _ ending: RequestRecord.Ending) {
        let now = clock()
        state.withLock { state in
            let isOurs = ending == .abandoned && state.isStopping
            if entry.end(isOurs ? .cut : ending, at: now) { state.concurrentRequests -= 1 }
        }
        journal?.flush()
    }

    /// Attributes connections that are lost from now on to the origin instead of the client.
    func stopping() { state.withLock { $0.isStopping = true } }

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
    func statisticsJSON() throws(Refusal) -> [UInt8] { try Self.json(statistics) }

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

/// A request of the log: written by its event loop while it is under way, read from any thread.
///
/// Its own lock lets it count a chunk without waiting for other requests and without allocating.
package final class RequestEntry: Sendable {
    private let current: Mutex<RequestRecord>
    let isHTTP2: Bool

    init(_ record: RequestRecord) {
        isHTTP2 = record.http == RequestRecord.http2
        current = Mutex(record)
    }

    package var record: RequestRecord { current.withLock { $0 } }

    func answered(_ status: Int) { current.withLock { $0.status = status } }

    func sent(_ bytes: Int) { current.withLock { $0.bytesSent += ByteCount(bytes) } }

    func received(_ bytes: Int) {
        current.withLock { $0.bytesReceived += ByteCount(bytes) }
    }

    func end(_ ending: RequestRecord.Ending, at nanoseconds: Int) -> Bool {
        current.withLock { record in
            guard record.ending == nil else { return false }
            record.ending = ending
            record.endedNanoseconds = nanoseconds
            return true
        }
    }
}

extension Ledger {
    /// The last requests in the order of their heads, in a ring of ``capacity`` entries.
    struct RequestLog {
        static let capacity = 20_000

        private var entries: [RequestEntry] = []
        private var oldest = 0

        mutating func append(_ entry: RequestEntry) {
            guard entries.count == Self.capacity else { return entries.append(entry) }
            entries[oldest] = entry
            oldest = (oldest + 1) % Self.capacity
        }

        var inOrder: [RequestEntry] { Array(entries[oldest...] + entries[..<oldest]) }
    }
}

extension RequestRecord {
    private static let secrets: Set<String> = ["authorization", "proxy-authorization", "cookie"]

    /// The bytes kept of one value: 20,000 requests have to fit in memory.
    private static let longestValue = 4096

    /// Creates the record of a head that was just read; a target that is not a path is kept as it arrived.
    init(_ head: HTTPRequestHead, _ request: OriginRequest?, number: Int, connection: Int, beganNanoseconds: Int) {
        var headers: [String: String] = [:]
        for (name, value) in head.headers {
            let key = name.lowercased()
            let text = Self.secrets.contains(key) ? "…" : Self.shortened(value)
            headers[key] = headers[key].map { "\($0), \(text)" } ?? text
        }
        self.init(
            number: number, connection: connection, method: Self.shortened(head.method.rawValue),
            path: Self.shortened(request?.path ?? head.uri),
            query: (request?.query ?? [:]).mapValues(Self.shortened), headers: headers,
            http: Self.text(of: head.version), beganNanoseconds: beganNanoseconds)
    }

    static let http2 = text(of: .http2)

    /// The version as it is spoken of: HTTP/2 has no minor one.
    private static func text(of version: HTTPVersion) -> String {
        version.major >= 2 ? "\(version.major)" : "\(version.major).\(version.minor)"
    }

    private static func shortened(_ text: String) -> String {
        text.utf8.count <= longestValue ? text : String(decoding: text.utf8.prefix(longestValue), as: UTF8.self) + "…"
    }
}

/// The counts of an origin since its start, independent of the client's.
///
/// Requests for `/stats` and `/requests`, and connections that sent only these, are not counted.
package struct OriginStatistics: Codable, Hashable, Sendable {
    package var requests: Int

    /// The number of requests by path, without the query; `*` stands for all after 1,000 paths, to bound memory.
    package var paths: [String: Int]

    /// The bytes of bodies taken by the kernel, without headers, chunk framing and writes that failed at a disconnect.
    package var bytesSent: ByteCount

    package var openConnections: Int

    package var connectionsAccepted: Int

    /// The maximum of simultaneous open connections, each counted from its first request on.
    package var mostOpenConnections: Int

    /// The maximum of simultaneous requests, each counted from its head until its answer ended.
    package var mostConcurrentRequests: Int

    package init(
        requests: Int = 0, paths: [String: Int] = [:], bytesSent: ByteCount = .zero, openConnections: Int = 0,
        connectionsAccepted: Int = 0, mostOpenConnections: Int = 0, mostConcurrentRequests: Int = 0
    ) {
        (self.requests, self.paths, self.bytesSent) = (requests, paths, bytesSent)
        (self.openConnections, self.connectionsAccepted) = (openConnections, connectionsAccepted)
        (self.mostOpenConnections, self.mostConcurrentRequests) = (mostOpenConnections, mostConcurrentRequests)
    }

    private enum CodingKeys: String, CodingKey {
        case requests, paths
        case bytesSent = "bytes_sent"
        case openConnections = "open_connections"
        case connectionsAccepted = "connections_accepted"
        case mostOpenConnections = "most_open_connections"
        case mostConcurrentRequests = "most_concurrent_requests"
    }
}
