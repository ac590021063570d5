// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport

/// An origin over TLS on a free port of 127.0.0.1 that tells what it was asked: Python's, with a certificate of its own.
struct HeadRecorder {
    let port: Int
    /// The certificate, which is its own authority.
    let authorityPath: String
    private let server: TestProcess

    /// The heads of the requests that have arrived.
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
