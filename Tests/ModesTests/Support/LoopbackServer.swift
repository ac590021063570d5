// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Synchronization
import TrialKit

/// A server on a free port of 127.0.0.1 that answers every connection with one scripted response, each on a thread of
/// its own.
final class LoopbackServer: Sendable {
    /// What is sent for a request, of which it gets the first line and the fields.
    typealias Script = @Sendable (_ request: String) -> Response

    /// The same for a request that has a body.
    typealias UploadScript = @Sendable (_ request: String, _ body: [UInt8]) -> Response

    /// The bytes of an answer, sent in pieces; then the connection ends.
    struct Response: Sendable {
        var pieces: [[UInt8]]
        /// How long nothing is sent, in seconds.
        var delay = 0.0
        /// Whether the connection stays open, silent, until the other side closes it or the server is stopped.
        var stalls = false

        /// A response of a status, fields and a body, in one piece.
        init(_ status: String, _ fields: [String] = [], body: [UInt8] = []) {
            let head = (["HTTP/1.1 \(status)"] + fields + ["Connection: close", "", ""]).joined(separator: "\r\n")
            pieces = [Array(head.utf8), body]
        }

        /// Exactly these bytes.
        init(raw text: String) {
            pieces = [Array(text.utf8)]
        }
    }

    let port: Int
    private let listener: Int32
    private let script: UploadScript
    private let requests = Mutex<[String]>([])
    private let connections = Mutex(Connections())
    private let sent = Atomic(0)
    private let isStopped = Atomic(false)
    private let threads = DispatchGroup()

    private struct Connections {
        var open: Set<Int32> = []
        /// Those that no byte of an answer was sent on yet.
        var unanswered: Set<Int32> = []
        var mostUnanswered = 0
    }

    /// Serves for the time of `body`.
    static func serving<Result>(
        _ script: @escaping Script, _ body: (LoopbackServer) async throws -> Result
    ) async throws -> Result {
        try await serving(uploads: { request, _ in script(request) }, body)
    }

    /// Serves requests that may have bodies for the time of `body`.
    static func serving<Result>(
        uploads script: @escaping UploadScript, _ body: (LoopbackServer) async throws -> Result
    ) async throws -> Result {
        let server = try LoopbackServer(script)
        defer { server.stop() }
        return try await body(server)
    }

    /// The address of a path.
    func url(_ path: String = "/body") throws -> URL {
        guard let url = URL(string: "http://127.0.0.1:\(port)\(path)") else { throw URLError(.badURL) }
        return url
    }

    /// The requests that arrived, each with its fields.
    var received: [String] { requests.withLock { $0 } }

    /// How many bytes of answers the kernel has taken from the server.
    var sentByteCount: Int { sent.load(ordering: .relaxed) }

    /// How many connections are open now.
    var openConnectionCount: Int { connections.withLock { $0.open.count } }

    /// How many connections waited for an answer at once at most.
    ///
    /// Not how many were open: a busy server sees the end of the one before after the beginning of the next.
    var mostUnansweredAtOnce: Int { connections.withLock { $0.mostUnanswered } }

    private init(_ script: @escaping UploadScript) throws {
        self.script = script
        listener = try LoopbackPort.bind()
        port = try LoopbackPort.number(of: listener)
        guard listen(listener, 16) == 0 else { throw POSIXError(.EADDRINUSE) }
        detach { $0.acceptAll() }
    }

    private func stop() {
        isStopped.store(true, ordering: .sequentiallyConsistent)
        // Wakes the threads that wait for a connection, or for something on one.
        shutdown(listener, Int32(SHUT_RDWR))
        connections.withLock { for connection in $0.open { shutdown(connection, Int32(SHUT_RDWR)) } }
        threads.wait()
        close(listener)
    }

    private func detach(_ work: @escaping @Sendable (LoopbackServer) -> Void) {
        threads.enter()
        Thread.detachNewThread { [self] in
            work(self)
            threads.leave()
        }
    }

    private func acceptAll() {
        while !isStopped.load(ordering: .sequentiallyConsistent) {
            let connection = accept(listener, nil, nil)
            guard connection >= 0 else { continue }
            connections.withLock { connections in
                connections.open.insert(connection)
                // Accepted too late for `stop` to see it.
                if isStopped.load(ordering: .sequentiallyConsistent) { shutdown(connection, Int32(SHUT_RDWR)) }
                connections.unanswered.insert(connection)
                connections.mostUnanswered = max(connections.mostUnanswered, connections.unanswered.count)
            }
            detach { server in
                server.answer(connection)
                // Under the lock, so that nobody shuts down another connection of the same number.
                server.connections.withLock { connections in
                    connections.open.remove(connection)
                    connections.unanswered.remove(connection)
                    close(connection)
                }
            }
        }
    }

    private func answer(_ connection: Int32) {
        var on: Int32 = 1
        setsockopt(connection, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
        // A client of a busy test process may be long in asking.
        limitReceiving(connection, seconds: 200)
        guard let request = LoopbackRequest(receivedFrom: connection) else { return }
        limitReceiving(connection, seconds: 5)
        requests.withLock { $0.append(request.head) }
        let response = script(request.head, request.body)
        if response.delay > 0 { Thread.sleep(forTimeInterval: response.delay) }
        _ = connections.withLock { $0.unanswered.remove(connection) }
        for piece in response.pieces where !send(piece, to: connection) { return }
        while response.stalls, drain(connection) == .silence, !isStopped.load(ordering: .sequentiallyConsistent) {}
        // Ends the sending side first, so that nothing sent is lost to a reset.
        shutdown(connection, Int32(SHUT_WR))
        drain(connection)
    }

    private func send(_ bytes: [UInt8], to connection: Int32) -> Bool {
        var remaining = bytes[...]
        while !remaining.isEmpty {
            let count = remaining.withUnsafeBytes {
                Glibc.send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            sent.add(count, ordering: .relaxed)
            remaining = remaining.dropFirst(count)
        }
        return true
    }

    private func limitReceiving(_ connection: Int32, seconds: Int) {
        var limit = timeval(tv_sec: seconds, tv_usec: 0)
        setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    /// How waiting for the other side ended.
    private enum Ending {
        case closed
        case silence
    }

    /// Waits until the other side closes, five seconds at most.
    @discardableResult
    private func drain(_ connection: Int32) -> Ending {
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = recv(connection, &buffer, buffer.count, 0)
            if count < 0, errno == EAGAIN { return .silence }
            if count <= 0 { return .closed }
        }
    }
}
