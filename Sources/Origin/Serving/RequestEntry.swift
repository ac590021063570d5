// SPDX-License-Identifier: Apache-2.0

import MemProbe
import NIOHTTP1
import Synchronization

/// A request of the log: written by its event loop while it is under way, read by anyone.
///
/// It has a lock of its own, so that counting a chunk waits for no other request and allocates nothing.
package final class RequestEntry: Sendable {
    private let current: Mutex<RequestRecord>

    /// Creates the entry of a request that has begun.
    init(_ record: RequestRecord) {
        current = Mutex(record)
    }

    /// What is known now.
    package var record: RequestRecord { current.withLock { $0 } }

    func answered(_ status: Int) {
        current.withLock { $0.status = status }
    }

    /// The kernel has taken bytes of the answer's body.
    func sent(_ bytes: Int) {
        current.withLock { $0.bytesSent += ByteCount(bytes) }
    }

    /// Bytes of the request's body have arrived.
    func received(_ bytes: Int) {
        current.withLock { $0.bytesReceived += ByteCount(bytes) }
    }

    /// Ends the request and returns `true`, or returns `false` where it has ended already.
    func end(_ ending: RequestRecord.Ending, at nanoseconds: Int) -> Bool {
        current.withLock { record in
            guard record.ending == nil else { return false }
            record.ending = ending
            record.endedNanoseconds = nanoseconds
            return true
        }
    }
}

/// The last requests, in the order in which their heads were read.
struct RequestLog {
    static let capacity = 20_000

    private var entries: [RequestEntry] = []
    /// Where the oldest entry is, once all places are taken.
    private var oldest = 0

    /// Adds a request, over the oldest one where all places are taken.
    mutating func append(_ entry: RequestEntry) {
        guard entries.count == Self.capacity else { return entries.append(entry) }
        entries[oldest] = entry
        oldest = (oldest + 1) % Self.capacity
    }

    /// The entries, the oldest first.
    var inOrder: [RequestEntry] { Array(entries[oldest...] + entries[..<oldest]) }
}

extension RequestRecord {
    /// The fields whose values stay between the client and the origin.
    private static let secrets: Set<String> = ["authorization", "proxy-authorization", "cookie"]

    /// How much of one value is kept, in bytes: 20,000 requests have to fit in memory.
    private static let longestValue = 4096

    /// The record of a head that was read a moment ago; a target that is no path is kept as it arrived.
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
            beganNanoseconds: beganNanoseconds)
    }

    /// The text, or its beginning and `…`.
    private static func shortened(_ text: String) -> String {
        text.utf8.count <= longestValue ? text : String(decoding: text.utf8.prefix(longestValue), as: UTF8.self) + "…"
    }
}
