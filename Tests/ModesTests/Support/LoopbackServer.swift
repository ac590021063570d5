// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Synchronization
import TrialKit

/// A server on a free port of 127.0.0.1 that answers every connection with one scripted response, each on a thread of
/// its own.
final class LoopbackServer: Sendable {
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

        init(_ status: String, _ fields: [String] = [], body: [UInt8] = []) {
            let head = (["HTTP/1.1 \(status)"] + fields + ["Connection: close", "", ""]).joined(separator: "\r\n")
            pieces = [Array(head.utf8), body]
        }

        static func redirect(_ status: Int, to location: String) -> Response {
            Response("\(status) Elsewhere", ["Location: \(location)", "Content-Length: 5"], body: Array("moved".utf8))
        }

        init(raw text: String) { pieces = [Array(text.utf8)] }
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

    func url(_ path: String = "/body") throws -> URL {
        guard let url = URL(string: "http://127.0.0.1:\(port)\(path)") else { throw URLError(.badURL) }
        return url
    }

    var received: [String] { requests.withLock { $0 } }

    /// How many bytes of answers the kernel has taken from the server.
    var sentByteCount: Int { sent.load(ordering: .relaxed) }

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

struct LoopbackRequest {
    /// The first line and the fields, with the empty line that ends them.
    let head: String
    let body: [UInt8]

    /// Reads a request, or nothing of what does not begin with a method, as a TLS handshake does not.
    init?(receivedFrom connection: Int32) {
        let end = Array("\r\n\r\n".utf8)
        var bytes: [UInt8] = []
        var bodyStart: Int?
        while bodyStart == nil {
            let last = bytes.count
            guard Self.receive(from: connection, into: &bytes) else { return nil }
            guard let first = bytes.first, (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(first) else { return nil }
            let from = max(0, last - end.count)
            bodyStart = bytes[from...].indices.first { bytes[$0...].starts(with: end) }.map { $0 + end.count }
        }
        head = String(decoding: bytes[..<(bodyStart ?? 0)], as: UTF8.self)
        bytes.removeFirst(bodyStart ?? 0)
        if head.lowercased().contains("\r\nexpect: 100-continue\r\n") {
            let interim = Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)
            guard send(connection, interim, interim.count, Int32(MSG_NOSIGNAL)) == interim.count else { return nil }
        }
        let field = head.lowercased().split(separator: "\r\n").first { $0.hasPrefix("content-length:") }
        let length = field?.split(separator: " ").last.flatMap { Int($0) } ?? 0
        while bytes.count < length {
            guard Self.receive(from: connection, into: &bytes) else { return nil }
        }
        body = bytes
    }

    private static func receive(from connection: Int32, into bytes: inout [UInt8]) -> Bool {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = recv(connection, &buffer, buffer.count, 0)
        guard count > 0 else { return false }
        bytes += buffer[..<count]
        return true
    }
}

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

/// An origin over TLS on a free port of 127.0.0.1 that tells what it was asked: Python's, with a certificate of its own.
struct HeadRecorder {
    let port: Int
    let authorityPath: String
    private let server: TestProcess

    var heads: String {
        String(decoding: server.output, as: UTF8.self).split(separator: "\n").dropFirst().joined(separator: "\n")
    }

    private static let program = """
        import http.server, ssl, sys
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                print(self.requestline, str(self.headers).strip(), sep="\\n", flush=True)
                self.send_response(200)
                self.send_header("Content-Length", "4")
                self.end_headers()
                self.wfile.write(b"body")
            def log_message(self, *words): pass
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain("certificate.pem", "key.pem")
        server.socket = context.wrap_socket(server.socket, server_side=True)
        print(server.server_port, flush=True)
        server.serve_forever()
        """

    /// Serves four bytes under every path for the time of `use`.
    static func serving<Result>(_ use: (HeadRecorder) async throws -> Result) async throws -> Result {
        try await withTemporaryFolder { folder in
            try TLSServer.makeCertificate(in: folder)
            let server = try TestProcess("/usr/bin/python3", ["-c", program], in: folder)
            while server.isRunning, !server.output.contains(UInt8(ascii: "\n")) {
                try await Task.sleep(for: .milliseconds(4))
            }
            let line = String(decoding: server.output, as: UTF8.self).split(separator: "\n").first
            guard let port = line.flatMap({ Int($0) }) else { throw POSIXError(.ENOEXEC) }
            let recorder = HeadRecorder(port: port, authorityPath: folder + "/certificate.pem", server: server)
            return try await use(recorder)
        }
    }
}
