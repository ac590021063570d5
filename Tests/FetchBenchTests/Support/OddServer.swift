// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A server with answers that real servers give, and that a benchmark has to get along with.
///
/// `/file` is 64 KiB; `/gzip` is sent encoded whatever is accepted; the first GET of each `/portal…` gets a login page;
/// `/missing` is a page with status 404; `/changing` is another body of the same length each time, `/growing` one of
/// another length. HEAD is not answered at all (`/headhang`), with a body (`/headbody`), or on a connection that ends
/// 20 ms later (`/headclose`). `/lines` is the list of the request lines so far.
final class OddServer {
    /// The beginning of its URLs.
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
        import gzip, random, socketserver, threading, time
        FILE = random.Random(5).randbytes(64 << 10)
        TEXT = b"The quick brown fox jumps over the lazy dog 0123456789\\n" * 1000
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
                elif path == "/gzip":
                    self.send(gzip.compress(TEXT, 6, mtime=0), "200 OK", "Content-Encoding: gzip", with_body=get)
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
