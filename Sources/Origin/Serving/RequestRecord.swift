// SPDX-License-Identifier: Apache-2.0

import Glibc
package import MemProbe
import NIOHTTP1
import Synchronization
import Texts

package struct RequestRecord: Codable, Hashable, Sendable {
    package enum Ending: String, Codable, Hashable, Sendable {
        case complete
        /// The origin ended the answer early: a fault, a cut, or a stop.
        case cut
        case abandoned
    }

    /// The position in the order in which the heads were read, from 1.
    package var number: Int

    /// The number of its connection, from 1, in the order of their first requests.
    package var connection: Int

    package var method: String

    /// The decoded path without the query, or the target as it arrived if it is not a path.
    package var path: String

    /// The decoded query, with the first value of each repeated name.
    package var query: [String: String]

    /// The header fields: lower-case names, repeated values joined by `, `, secrets replaced by `…`.
    package var headers: [String: String]

    /// The version of HTTP: `1.0`, `1.1` or `2`.
    package var http: String

    package var status: Int?

    /// The time at which the head was read, on `CLOCK_MONOTONIC`, in nanoseconds.
    package var beganNanoseconds: Int

    /// The time at which the answer ended, or `nil` while it is under way.
    package var endedNanoseconds: Int?

    /// The bytes of the answer's body taken by the kernel, without headers and chunk framing.
    package var bytesSent: ByteCount

    package var bytesReceived: ByteCount

    package var ending: Ending?

    package init(
        number: Int, connection: Int, method: String, path: String, query: [String: String] = [:],
        headers: [String: String] = [:], http: String = "1.1", status: Int? = nil, beganNanoseconds: Int,
        endedNanoseconds: Int? = nil,
        bytesSent: ByteCount = .zero, bytesReceived: ByteCount = .zero, ending: Ending? = nil
    ) {
        (self.number, self.connection, self.method) = (number, connection, method)
        (self.path, self.query, self.headers, self.http) = (path, query, headers, http)
        (self.status, self.beganNanoseconds) = (status, beganNanoseconds)
        (self.endedNanoseconds, self.bytesSent) = (endedNanoseconds, bytesSent)
        (self.bytesReceived, self.ending) = (bytesReceived, ending)
    }

    private enum CodingKeys: String, CodingKey {
        case number, connection, method, path, query, headers, http, status, ending
        case beganNanoseconds = "began_nanoseconds"
        case endedNanoseconds = "ended_nanoseconds"
        case bytesSent = "bytes_sent"
        case bytesReceived = "bytes_received"
    }
}

/// The JSON array of `/requests`, encoded one record at a time.
package final class RequestsReader: BodyReader {
    private let records: [RequestRecord]
    private var encoded = 0
    private var pending: ArraySlice<UInt8> = [UInt8(ascii: "[")]
    private var isClosed = false

    package init(_ records: [RequestRecord]) { self.records = records }

    package var remaining: Int? { nil }

    package var isAtEnd: Bool { isClosed && pending.isEmpty }

    package var heldByteCount: Int { pending.count }

    package func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        var count = 0
        while count < buffer.count, !isAtEnd {
            if pending.isEmpty { try refill() }
            let part = pending.prefix(buffer.count - count)
            UnsafeMutableRawBufferPointer(rebasing: buffer[count...]).copyBytes(from: part)
            pending = pending.dropFirst(part.count)
            count += part.count
        }
        return count
    }

    /// The total number of bytes, counted by consuming the reader.
    package func byteCount() throws(Refusal) -> Int {
        var total = 0
        var buffer = [UInt8](repeating: 0, count: 64 * 1024)
        while !isAtEnd {
            guard let count = try? buffer.withUnsafeMutableBytes({ try read(into: $0) }) else {
                throw Refusal(.internalServerError, "the log cannot be encoded")
            }
            total += count
        }
        return total
    }

    private func refill() throws {
        guard encoded < records.count else {
            pending = ArraySlice("]\n".utf8)
            isClosed = true
            return
        }
        do throws(Refusal) {
            // Without its newline.
            let json = try Ledger.json(records[encoded]).dropLast()
            pending = encoded == 0 ? json : [UInt8(ascii: ",")] + json
        } catch {
            throw FetchBenchError(error.text)
        }
        encoded += 1
    }
}

/// The times and sizes of sent parts of bodies, in a file that the harness reads after each trial.
///
/// A line has the time on `CLOCK_MONOTONIC` in nanoseconds, a space and a number of bytes; over HTTP/2 a space and `2`
/// follow. Lines are buffered until an
/// answer has ended, so that nothing is written to a file while a client is measured, except for bodies of more than
/// about 20 GiB.
package final class SentJournal: Sendable {
    private let descriptor: CInt
    private let lines: Mutex<[UInt8]>
    /// The buffer size that triggers a flush, in bytes.
    private static let most = 1 << 21

    /// Opens a file; its reader may truncate it at any time.
    package init(path: String) throws {
        descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw FetchBenchError(kernel: "the journal \(path) cannot be opened", errno: errno)
        }
        lines = Mutex([])
        lines.withLock { $0.reserveCapacity(1 << 16) }
    }

    deinit { close(descriptor) }

    func note(_ count: Int, at nanoseconds: Int, overHTTP2 isHTTP2: Bool = false) {
        let isFull = lines.withLock { lines in
            lines += "\(nanoseconds) \(count)\(isHTTP2 ? " 2" : "")\n".utf8
            return lines.count > Self.most
        }
        if isFull { flush() }
    }

    /// Writes the buffer; write errors are ignored, because a trial does not fail for lack of journal lines.
    func flush() {
        lines.withLock { lines in
            guard !lines.isEmpty else { return }
            _ = SystemCall.writeAll(lines, to: descriptor)
            lines.removeAll(keepingCapacity: true)
        }
    }
}
