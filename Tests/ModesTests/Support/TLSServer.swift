// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import TrialKit

/// An origin over TLS on a free port of 127.0.0.1: OpenSSL's own, with a certificate that nobody else has signed.
struct TLSServer {
    let port: Int
    /// The certificate, which is its own authority.
    let authorityPath: String

    /// Serves one body under every path for the time of `use`.
    static func serving<Result>(_ body: [UInt8], _ use: (TLSServer) async throws -> Result) async throws -> Result {
        try await withTemporaryFolder { folder in
            try run(
                in: folder,
                ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "1"]
                    + ["-keyout", "key.pem", "-out", "certificate.pem", "-subj", "/CN=localhost"]
                    + ["-addext", "subjectAltName=IP:127.0.0.1"]
            ).waitUntilExit()
            let head = "HTTP/1.1 200 OK\r\nContent-Length: \(body.count)\r\nConnection: close\r\n\r\n"
            try (Data(head.utf8) + body).write(to: URL(fileURLWithPath: folder + "/body"))
            let output = Pipe()
            let server = try run(
                in: folder,
                ["s_server", "-accept", "127.0.0.1:0", "-cert", "certificate.pem", "-key", "key.pem", "-HTTP"],
                output: output)
            defer {
                // A thread of tasks blocks every other signal, and its children inherit that.
                kill(server.processIdentifier, SIGKILL)
                server.waitUntilExit()
            }
            let port = try port(from: output.fileHandleForReading)
            return try await use(TLSServer(port: port, authorityPath: folder + "/certificate.pem"))
        }
    }

    /// The address of the body.
    func url() throws -> URL {
        guard let url = URL(string: "https://127.0.0.1:\(port)/body") else { throw URLError(.badURL) }
        return url
    }

    private static func run(in folder: String, _ arguments: [String], output: Pipe = Pipe()) throws -> Process {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["openssl"] + arguments
        process.currentDirectoryURL = URL(fileURLWithPath: folder)
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        return process
    }

    /// The port that the server says it listens on, in the line `ACCEPT 127.0.0.1:45645`.
    private static func port(from output: FileHandle) throws -> Int {
        var text = ""
        while true {
            let data = output.availableData
            guard !data.isEmpty else { throw POSIXError(.ENOEXEC) }
            text += String(decoding: data, as: UTF8.self)
            let lines = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
            let word = lines.first { $0.hasPrefix("ACCEPT") }?.split(separator: ":").last
            if let port = word.flatMap({ Int($0) }) { return port }
        }
    }
}
