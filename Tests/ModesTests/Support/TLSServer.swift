// SPDX-License-Identifier: Apache-2.0

import Foundation
import TrialKit

/// An origin over TLS on a free port of 127.0.0.1: OpenSSL's own, with a certificate that nobody else has signed.
struct TLSServer {
    let port: Int
    let authorityPath: String

    static func serving<Result>(_ body: [UInt8], _ use: (TLSServer) async throws -> Result) async throws -> Result {
        try await withTemporaryFolder { folder in
            try makeCertificate(in: folder)
            let head = "HTTP/1.1 200 OK\r\nContent-Length: \(body.count)\r\nConnection: close\r\n\r\n"
            try (Data(head.utf8) + body).write(to: URL(fileURLWithPath: folder + "/body"))
            let server = try TestProcess(
                "/usr/bin/openssl",
                ["s_server", "-accept", "127.0.0.1:0", "-cert", "certificate.pem", "-key", "key.pem", "-HTTP"],
                in: folder)
            let port = try await port(of: server)
            // It ends with the last reference to it.
            defer { withExtendedLifetime(server) {} }
            return try await use(TLSServer(port: port, authorityPath: folder + "/certificate.pem"))
        }
    }

    /// Makes `certificate.pem`, which is its own authority, and `key.pem`.
    static func makeCertificate(in folder: String) throws {
        _ = try TestProcess.run(
            "/usr/bin/openssl",
            ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "1"]
                + ["-keyout", "key.pem", "-out", "certificate.pem", "-subj", "/CN=localhost"]
                + ["-addext", "subjectAltName=IP:127.0.0.1"],
            in: folder)
    }

    /// The address of the body.
    func url() throws -> URL {
        guard let url = URL(string: "https://127.0.0.1:\(port)/body") else { throw URLError(.badURL) }
        return url
    }

    /// The port that the server says it listens on, in the line `ACCEPT 127.0.0.1:45645`.
    private static func port(of server: TestProcess) async throws -> Int {
        while server.isRunning {
            let lines = String(decoding: server.output, as: UTF8.self)
                .split(separator: "\n", omittingEmptySubsequences: false).dropLast()
            let word = lines.first { $0.hasPrefix("ACCEPT") }?.split(separator: ":").last
            if let port = word.flatMap({ Int($0) }) { return port }
            try await Task.sleep(for: .milliseconds(4))
        }
        throw POSIXError(.ENOEXEC)
    }
}
