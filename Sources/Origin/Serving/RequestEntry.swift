// SPDX-License-Identifier: Apache-2.0

import MemProbe
import NIOHTTP1
import Synchronization

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

    func answered(_ status: Int) {
        current.withLock { $0.status = status }
    }

    func sent(_ bytes: Int) {
        current.withLock { $0.bytesSent += ByteCount(bytes) }
    }

    func received(_ bytes: Int) {
        current.withLock { $0.bytesReceived += ByteCount(bytes) }
    }

    /// Ends the request and returns `true`, or returns `false` if it has ended already.
    func end(_ ending: RequestRecord.Ending, at nanoseconds: Int) -> Bool {
        current.withLock { record in
            guard record.ending == nil else { return false }
            record.ending = ending
            record.endedNanoseconds = nanoseconds
            return true
        }
    }
}

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

extension RequestRecord {
    /// The fields whose values are not logged.
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
