// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Synchronization

/// A server on a free port of 127.0.0.1 that answers every connection with one scripted response, one after another.
final class LoopbackServer: Sendable {
    /// What is sent for a request, of which it gets the first line and the fields.
    typealias Script = @Sendable (_ request: String) -> Response

    /// The bytes of an answer, sent in pieces; then the connection ends.
    struct Response: Sendable {
        var pieces: [[UInt8]]
        /// Whether the connection stays open, silent, until the server is stopped.
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
    private let script: Script
    private let requests = Mutex<[String]>([])
    private let sent = Atomic(0)
    private let isStopped = Atomic(false)
    private let ended = DispatchSemaphore(value: 0)

    /// Serves for the time of `body`.
    static func serving<Result>(
        _ script: @escaping Script, _ body: (LoopbackServer) async throws -> Result
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

    private init(_ script: @escaping Script) throws {
        self.script = script
        listener = try LoopbackPort.bind()
        port = try LoopbackPort.number(of: listener)
        guard listen(listener, 16) == 0 else { throw POSIXError(.EADDRINUSE) }
        Thread.detachNewThread { [self] in
            acceptAll()
            ended.signal()
        }
    }

    private func stop() {
        isStopped.store(true, ordering: .sequentiallyConsistent)
        // Wakes the thread that waits for a connection.
        shutdown(listener, Int32(SHUT_RDWR))
        ended.wait()
        close(listener)
    }

    private func acceptAll() {
        while !isStopped.load(ordering: .sequentiallyConsistent) {
            let connection = accept(listener, nil, nil)
            guard connection >= 0 else { continue }
            answer(connection)
            close(connection)
        }
    }

    private func answer(_ connection: Int32) {
        var on: Int32 = 1
        setsockopt(connection, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
        // A client of a busy test process may be long in asking.
        limitReceiving(connection, seconds: 30)
        guard let request = readRequest(connection) else { return }
        limitReceiving(connection, seconds: 5)
        requests.withLock { $0.append(request) }
        let response = script(request)
        for piece in response.pieces where !send(piece, to: connection) { return }
        if response.stalls { while !isStopped.load(ordering: .sequentiallyConsistent), !drain(connection) {} }
        // Ends the sending side first, so that nothing sent is lost to a reset.
        shutdown(connection, Int32(SHUT_WR))
        drain(connection)
    }

    /// The head of a request, or `nil` of what does not begin with a method, as a TLS handshake does not.
    private func readRequest(_ connection: Int32) -> String? {
        var text = ""
        var buffer = [UInt8](repeating: 0, count: 4096)
        while !text.hasSuffix("\r\n\r\n") {
            let count = recv(connection, &buffer, buffer.count, 0)
            guard count > 0 else { return nil }
            text += String(decoding: buffer[..<count], as: UTF8.self)
            guard text.first?.isUppercase == true else { return nil }
        }
        return text
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

    /// Waits until the other side closes, five seconds at most, and tells whether it did.
    @discardableResult
    private func drain(_ connection: Int32) -> Bool {
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = recv(connection, &buffer, buffer.count, 0)
            if count > 0 { continue }
            return count == 0 || errno != EAGAIN
        }
    }
}

/// Ports of 127.0.0.1 that nobody else can take.
enum LoopbackPort {
    /// A socket bound to a free port; nobody listens on it yet, so that connections to it are refused.
    static func bind() throws -> Int32 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw POSIXError(.EMFILE) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let status = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard status == 0 else { throw POSIXError(.EADDRINUSE) }
        return descriptor
    }

    /// The port of a bound socket.
    static func number(of descriptor: Int32) throws -> Int {
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
        }
        guard status == 0 else { throw POSIXError(.EBADF) }
        return Int(UInt16(bigEndian: address.sin_port))
    }
}
