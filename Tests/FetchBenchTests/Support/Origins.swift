// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Synchronization

final class ServeProcess {
    let url: String
    let process: Spawned

    init(_ sandbox: Sandbox, _ arguments: String...) async throws {
        let process = try sandbox.start(["serve"] + arguments)
        guard try await eventually(within: 60, { process.output.contains("\n") || !process.isRunning }) else {
            throw Obstacle("serve printed no address")
        }
        self.process = process
        url = String(process.output.prefix { $0 != "\n" })
        guard url.hasPrefix("http://127.0.0.1:") else {
            throw Obstacle("serve began with '\(url)' and \(process.complaint)")
        }
    }

    /// The beginning of its URLs with TLS, or `nil` where it said no second address.
    var secureURL: String? {
        let lines = process.output.split(separator: "\n")
        return lines.count == 2 ? String(lines[1]) : nil
    }

    var port: Int { Int(url.split(separator: ":").last ?? "") ?? 0 }
}

/// A real web server, with one folder of files, a redirect that leads to itself, and TLS that nobody trusts.
final class Nginx {
    let url: String
    /// The beginning of the URLs with a certificate that it signed itself.
    let secureURL: String
    private let process: Spawned
    private let folder: String

    init(_ sandbox: Sandbox, file: String) async throws {
        folder = sandbox.path + "/nginx"
        for name in ["", "/files", "/logs", "/scratch"] {
            try FileManager.default.createDirectory(atPath: folder + name, withIntermediateDirectories: true)
        }
        try Data(file.utf8).write(to: URL(fileURLWithPath: folder + "/files/file.bin"))
        // Its workers give up root, and must reach the files all the same.
        for path in [sandbox.path, folder, folder + "/files", folder + "/scratch"] { chmod(path, 0o755) }
        let made = try await sandbox.tool(
            "openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost",
            "-addext", "subjectAltName=IP:127.0.0.1",
            "-keyout", folder + "/key.pem", "-out", folder + "/certificate.pem")
        guard made.status == 0 else { throw Obstacle("openssl made no certificate: \(made.complaint.suffix(200))") }
        let ports = try (0..<2).map { _ in try SocketServer.freePort() }
        url = "http://127.0.0.1:\(ports[0])"
        secureURL = "https://127.0.0.1:\(ports[1])"
        let configuration = folder + "/nginx.conf"
        try Data(Self.configuration(folder, ports).utf8).write(to: URL(fileURLWithPath: configuration))
        let process = try sandbox.start(
            BuiltBinary.tool("nginx"), ["-e", folder + "/logs/error", "-p", folder, "-c", configuration])
        self.process = process
        let answers = try await eventually(within: 60) {
            ports.allSatisfy { SocketServer.answers(on: $0) } || !process.isRunning
        }
        guard answers, process.isRunning else { throw Obstacle("nginx did not start: \(process.complaint)") }
    }

    var certificate: String { folder + "/certificate.pem" }

    /// The versions of HTTP in which it was asked over TLS.
    func versions() throws -> Set<String> {
        Set(try String(contentsOfFile: folder + "/versions", encoding: .utf8).split(separator: "\n").map(String.init))
    }

    /// Lets somebody in at `/locked/`: a line of a password file.
    func allow(_ line: String) throws {
        try Data(line.utf8).write(to: URL(fileURLWithPath: folder + "/users"))
        chmod(folder + "/users", 0o644)
    }

    private static func configuration(_ folder: String, _ ports: [Int]) -> String {
        let scratch = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
            .map { "\($0)_temp_path \(folder)/scratch/\($0);" }.joined(separator: " ")
        return """
            daemon off; master_process off; pid \(folder)/pid; error_log \(folder)/logs/error;
            events { worker_connections 64; }
            http {
                access_log off; \(scratch) log_format version "$server_protocol";
                server {
                    listen 127.0.0.1:\(ports[0]); root \(folder)/files;
                    location /loop { return 302 /loop; }
                    location /empty { return 200 ""; }
                    location /locked/ {
                        alias \(folder)/files/; auth_basic "locked"; auth_basic_user_file \(folder)/users;
                    }
                    location /echo { return 200 "$request_method $content_type $content_length"; }
                }
                server {
                    listen 127.0.0.1:\(ports[1]) ssl http2; access_log \(folder)/versions version; root \(folder)/files;
                    ssl_certificate \(folder)/certificate.pem; ssl_certificate_key \(folder)/key.pem;
                }
            }
            """
    }
}

/// A plain socket that answers one connection after another with whatever bytes a test wants.
final class SocketServer: Sendable {
    /// Returns the response to a request, after which the connection is closed; `nil` keeps it open without a response.
    typealias Answer = @Sendable (_ request: String) -> [UInt8]?

    let port: Int
    var url: String { "http://127.0.0.1:\(port)" }

    private let descriptor: Int32
    private let kept = Mutex<[Int32]>([])

    init(_ answer: @escaping Answer) throws {
        (descriptor, port) = try Self.listeningSocket()
        Thread.detachNewThread { [descriptor, weak self] in
            while case let connection = accept(descriptor, nil, nil), connection >= 0 {
                let request = Self.request(from: connection)
                if let bytes = answer(request) {
                    _ = bytes.withUnsafeBytes { send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
                    close(connection)
                } else if let self {
                    self.kept.withLock { $0.append(connection) }
                } else {
                    close(connection)
                }
            }
            close(descriptor)
        }
    }

    deinit {
        // Wakes the thread out of accept; it closes the descriptor.
        shutdown(descriptor, Int32(SHUT_RDWR))
        kept.withLock { for connection in $0 { close(connection) } }
    }

    static func response(_ body: String) -> [UInt8] {
        Array("HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\nConnection: close\r\n\r\n\(body)".utf8)
    }

    static func freePort() throws -> Int {
        let (descriptor, port) = try listeningSocket()
        close(descriptor)
        return port
    }

    static func answers(on port: Int) -> Bool {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        defer { close(descriptor) }
        var address = loopback(port: port)
        return withGeneric(&address) { connect(descriptor, $0, $1) == 0 }
    }

    private static func listeningSocket() throws -> (Int32, Int) {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = loopback(port: 0)
        guard withGeneric(&address, { bind(descriptor, $0, $1) }) == 0, listen(descriptor, 64) == 0 else {
            throw Obstacle("no free port: \(String(cString: strerror(errno)))")
        }
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        _ = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
        }
        return (descriptor, Int(UInt16(bigEndian: address.sin_port)))
    }

    private static func loopback(port: Int) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }

    private static func withGeneric<Value>(
        _ address: inout sockaddr_in, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Value
    ) -> Value {
        withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }

    /// Reads a request up to the empty line that ends its header.
    private static func request(from connection: Int32) -> String {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while !String(decoding: bytes, as: UTF8.self).contains("\r\n\r\n") {
            let count = recv(connection, &buffer, buffer.count, 0)
            guard count > 0 else { break }
            bytes += buffer[..<count]
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// A server with answers that real servers give, and that a benchmark has to get along with.
///
/// `/file` is 64 KiB; `/gzip` is sent encoded whatever is accepted; the first GET of each `/portal…` gets a login page;
/// `/missing` is a page with status 404; `/changing` is another body of the same length each time, `/growing` one of
/// another length. HEAD is not answered at all (`/headhang`), with a body (`/headbody`), or on a connection that ends
/// 20 ms later (`/headclose`). `/lines` is the list of the request lines so far.
final class OddServer {
    let url: String
    private let process: Spawned

    init(_ sandbox: Sandbox) async throws {
        let process = try sandbox.start(BuiltBinary.systemPython(), ["-c", Self.script])
        guard try await eventually(within: 60, { process.output.contains("\n") || !process.isRunning }) else {
            throw Obstacle("the odd server printed no port")
        }
        guard let port = Int(process.output.prefix { $0 != "\n" }) else {
            throw Obstacle("the odd server said \(process.output) \(process.complaint)")
        }
        self.process = process
        url = "http://127.0.0.1:\(port)"
    }

    private static let script = """
        import gzip, random, socketserver, threading, time, zlib
        FILE = random.Random(5).randbytes(64 << 10)
        TEXT = b"The quick brown fox jumps over the lazy dog 0123456789\\n" * 1000
        GZIP, ZLIB = gzip.compress(TEXT, 6, mtime=0), zlib.compress(TEXT)
        # Made by brotli -q 11 and zstd -19, which are no modules of Python.
        CODED = {
            "gzip": ("gzip", GZIP), "zlib": ("deflate", ZLIB), "raw": ("deflate", ZLIB[2:-4]),
            "twice": ("gzip, gzip", gzip.compress(GZIP)),
            "members": ("gzip", gzip.compress(TEXT[:9000]) + gzip.compress(TEXT[9000:])),
            "br": ("br", bytes.fromhex("e2da1aa82375ea938747a8f473477e46cf2f7e80b70a9ab72aec2d41e6f260030e1c020cf251e5"
                "207548a492b1cf67881a6e7dfae2beb69c01aebfb921b1a879640100")),
            "zstd": ("zstd", bytes.fromhex("28b52ffd64d8d50d0200740354686520717569636b2062726f776e20666f78206a756d7073"
                "206f76657220746865206c617a7920646f6720303132333435363738390a0100e769d5ba82024bd20389")),
        }
        counts, lines, lock = {}, [], threading.Lock()

        def count(path):
            with lock:
                counts[path] = counts.get(path, 0) + 1
                return counts[path]

        class Answer(socketserver.StreamRequestHandler):
            def send(self, body, status="200 OK", *headers, with_body=True):
                head = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", *headers, "", ""]
                self.wfile.write("\\r\\n".join(head).encode() + (body if with_body else b""))

            def handle(self):
                try:
                    while line := self.rfile.readline():
                        while self.rfile.readline().strip(): pass
                        method, path, _ = line.decode("latin1").split(" ", 2)
                        if path != "/lines":
                            with lock: lines.append(line.decode("latin1").strip())
                        if self.answer(method, path.split("?")[0]) is False: return
                except (ConnectionError, ValueError):
                    pass

            def answer(self, method, path):
                get = method != "HEAD"
                if path == "/headhang" and not get:
                    time.sleep(300)
                    return False
                if path == "/headclose" and not get:
                    self.send(FILE, with_body=False)
                    time.sleep(0.02)
                    return False
                if path == "/lines": self.send("\\n".join(lines).encode())
                elif path == "/coded/transfer":
                    self.wfile.write(b"HTTP/1.1 200 OK\\r\\nTransfer-Encoding: gzip, chunked\\r\\n\\r\\n")
                    if get: self.wfile.write(b"%x\\r\\n%b\\r\\n0\\r\\n\\r\\n" % (len(GZIP), GZIP))
                elif path == "/cookie": self.send(b"", "302 Found", "Location: /cookie", "Set-Cookie: seen=1")
                elif path.startswith("/coded/"):
                    coding, body = CODED[path.split("/")[2]]
                    self.send(body, "200 OK", f"Content-Encoding: {coding}", with_body=get)
                elif path.startswith("/portal") and get and count(path) == 1:
                    self.send(b"<!doctype html><title>Please log in</title>", "200 OK", "Content-Type: text/html")
                elif path == "/missing": self.send(b"<html>not here</html>" * 500, "404 Not Found", with_body=get)
                elif path == "/changing": self.send(bytes([count(path) & 255]) * len(FILE), with_body=get)
                elif path == "/growing": self.send(b"x" * (1000 + count(path)), with_body=get)
                else: self.send(FILE, with_body=get or path == "/headbody")

        class Server(socketserver.ThreadingTCPServer):
            daemon_threads = True

        with Server(("127.0.0.1", 0), Answer) as server:
            print(server.server_address[1], flush=True)
            server.serve_forever()
        """
}
