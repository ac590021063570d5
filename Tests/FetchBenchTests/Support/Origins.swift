// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc

/// `fetchbench serve` as a process of its own.
final class ServeProcess {
    /// The beginning of its URLs.
    let url: String
    /// The process.
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

    /// Its port.
    var port: Int { Int(url.split(separator: ":").last ?? "") ?? 0 }
}

/// A real web server, with one folder of files, a redirect that leads to itself, and TLS that nobody trusts.
final class Nginx {
    /// The beginning of the URLs without TLS.
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
                access_log off; \(scratch)
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
                    listen 127.0.0.1:\(ports[1]) ssl; root \(folder)/files;
                    ssl_certificate \(folder)/certificate.pem; ssl_certificate_key \(folder)/key.pem;
                }
            }
            """
    }
}
