// SPDX-License-Identifier: Apache-2.0

import Glibc
import Hashing
import MemProbe
import Synchronization
import TrialKit

/// A client that makes one request over a connection of its own and keeps nothing of the answer.
///
/// It reads and writes at its rate. It waits for the other clients when its answer has begun, and before the last piece
/// of what it sends or receives, so that all requests are in flight together.
struct ServerClient: Sendable {
    /// The kernel's buffers for what a client has not read; the kernel doubles them for its own use.
    private static let receiveBuffer: Int32 = 64 * 1024
    private static let pieceSize = 16 * 1024
    /// The nanoseconds to wait for a server that reads no more before it has all.
    private static let patience = 1_000_000_000

    struct Answer: Hashable {
        var byteCount: Int
        var sha256: String?
        var firstByte: Int
        var lastByte: Int

        func isAlike(_ other: Answer) -> Bool { (byteCount, sha256) == (other.byteCount, other.sha256) }

        var words: String { FetchFailure.words(byteCount: byteCount, sha256: sha256) }
    }

    let port: Int
    let idleSeconds: Int
    var rate: Int?
    var chunk: Int?
    var hashes = true

    func answer(to request: ServerOrder.Request, at meetings: (begun: Meeting, nearEnd: Meeting)? = nil)
        throws(FetchFailure) -> Answer
    {
        let start = MonotonicClock.now()
        let socket = try TCPSocket(
            host: "127.0.0.1", port: port, idleTimeoutSeconds: idleSeconds, receiveBufferByteCount: Self.receiveBuffer)
        try socket.send(head(of: request))
        if let count = request.bodyByteCount {
            // On a thread of its own: a server may answer while it still reads.
            let sender = Sender(socket: socket, count: count, client: self, meeting: meetings?.nearEnd)
            try DetachedThread.run { sender.run() }
        }
        var reader = HTTPReader(socket: socket, buffer: RawBuffer(byteCount: Self.pieceSize))
        let answered = try reader.readHead()
        let firstByte = MonotonicClock.now() - start
        guard (200..<300).contains(answered.status) else {
            throw FetchFailure(.httpStatus, "\(request.words) was answered with status \(answered.status)")
        }
        let framing = try answered.framing()
        // Of an upload the end of the body is where all meet.
        var meetings = request.bodyByteCount == nil ? meetings : nil
        meetings?.begun.wait()
        var (hash, pace, received) = (SHA256(), Pace(rate), 0)
        let count = try reader.readBody(framedBy: framing) { piece throws(FetchFailure) in
            if hashes { hash.update(piece) }
            pace.wait(after: piece.count)
            received += piece.count
            guard case .length(let length) = framing, received + Self.pieceSize >= length else { return }
            meetings?.nearEnd.wait()
            meetings = nil
        }
        return Answer(
            byteCount: count, sha256: hashes ? hash.hexadecimal() : nil, firstByte: firstByte,
            lastByte: MonotonicClock.now() - start)
    }

    private func head(of request: ServerOrder.Request) -> String {
        let framing = request.bodyByteCount.map {
            chunk == nil ? "Content-Length: \($0)" : "Transfer-Encoding: chunked"
        }
        let lines =
            ["\(request.method) \(request.path) HTTP/1.1", "Host: 127.0.0.1:\(port)", "Connection: close"]
            + [framing].compactMap(\.self) + request.fields.map { "\($0.name): \($0.value)" }
        return lines.joined(separator: "\r\n") + "\r\n\r\n"
    }

    /// Sends a body of bytes that compress badly; a server that ends the connection has said why in its answer.
    private struct Sender: Sendable {
        let socket: TCPSocket
        let count: Int
        let client: ServerClient
        let meeting: Meeting?

        func run() {
            let size = client.chunk ?? ServerClient.pieceSize
            var seed: UInt32 = 1
            let bytes = (0..<size).map { _ in
                seed = seed &* 1_664_525 &+ 1_013_904_223
                return UInt8(truncatingIfNeeded: seed >> 24)
            }
            var pace = Pace(client.rate)
            var rest = count
            do throws(FetchFailure) {
                while rest > 0 {
                    if rest <= size, let meeting {
                        waitUntilRead()
                        meeting.wait()
                    }
                    let piece = bytes.prefix(rest)
                    try socket.send(client.chunk == nil ? Array(piece) : framed(piece))
                    rest -= piece.count
                    pace.wait(after: piece.count)
                }
                if client.chunk != nil { try socket.send("0\r\n\r\n") }
            } catch {
                meeting?.leave()
            }
        }

        /// Waits until the server has read what the kernel holds for it: only then are the bytes its own.
        private func waitUntilRead() {
            let (own, end) = (socket.localPort, MonotonicClock.now() + ServerClient.patience)
            while MonotonicClock.now() < end {
                let ends = SocketTable.rows {
                    ($0.localPort, $0.remotePort) == (client.port, own)
                        || ($0.localPort, $0.remotePort) == (own, client.port)
                }
                if ends.allSatisfy({ $0.unreadByteCount == 0 && $0.unacknowledgedByteCount == 0 }) { return }
                MonotonicClock.sleep(nanoseconds: 1_000_000)
            }
        }

        private func framed(_ piece: ArraySlice<UInt8>) -> [UInt8] {
            Array("\(String(piece.count, radix: 16))\r\n".utf8) + piece + Array("\r\n".utf8)
        }
    }

    /// Sleeps as long as bytes take at a rate, so that short pauses add up.
    private struct Pace {
        private let rate: Int?
        private let start = MonotonicClock.now()
        private var count = 0

        init(_ rate: Int?) { self.rate = rate }

        mutating func wait(after byteCount: Int) {
            guard let rate else { return }
            count += byteCount
            let due = start + Int(Double(count) / Double(rate) * 1e9)
            let now = MonotonicClock.now()
            if due > now { MonotonicClock.sleep(nanoseconds: due - now) }
        }
    }
}

/// The place where clients wait until all are there.
///
/// A server that answers one request at a time lets only one come there: then they go on alone.
final class Meeting: Sendable {
    private struct State {
        var waiting = 0
        var expected: Int
        var isOpen = false
    }

    /// The nanoseconds that one waits for the others.
    private static let patience = 2_000_000_000
    private let state: Mutex<State>

    init(of count: Int) { state = Mutex(State(expected: count)) }

    /// The most that were there together.
    var most: Int { state.withLock(\.waiting) }

    func wait() {
        let count = state.withLock { state in
            state.waiting += 1
            state.isOpen = state.isOpen || state.waiting >= state.expected
            return state.expected
        }
        let end = MonotonicClock.now() + Self.patience
        while !state.withLock(\.isOpen) {
            if MonotonicClock.now() >= end { return open() }
            MonotonicClock.sleep(nanoseconds: 200_000 + 10_000 * count)
        }
    }

    /// Lets the others go without this one.
    func leave() {
        state.withLock { state in
            state.expected -= 1
            state.isOpen = state.isOpen || state.waiting >= state.expected
        }
    }

    private func open() { state.withLock { $0.isOpen = true } }
}
