// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

extension Conduct {
    @Suite struct Serve {
        @Test func servesTheAssetThatARunExpects() async throws {
            let sandbox = try Sandbox("serve")
            #expect(
                try await sandbox.fetchbench(
                    "run", "--asset", "1MiB", "--seed", "7", "--mode", "raw", "--render", "none", "--trials", "1"
                ).status == 0)
            let expected = try #require(try sandbox.onlyRun().record().plan.assets.first?.sha256)
            let origin = try await ServeProcess(sandbox)
            let url = origin.url + "/bytes/1MiB?seed=7"
            for (number, options) in [[], ["--http1.0"], ["-H", "Accept-Encoding: gzip"]].enumerated() {
                let file = sandbox.work + "/fetched-\(number)"
                let curl = try sandbox.start(
                    BuiltBinary.tool("curl"), ["-q", "-sS", "--fail", "--noproxy", "*", "-o", file] + options + [url])
                #expect(try await curl.end(within: 60).status == 0)
                #expect(try await sandbox.tool("sha256sum", file).output.hasPrefix(expected))
            }
            let wget = try await sandbox.tool("wget", "-q", "--no-proxy", "-O", sandbox.work + "/wgot", url)
            #expect(wget.status == 0)
            #expect(try await sandbox.tool("sha256sum", sandbox.work + "/wgot").output.hasPrefix(expected))
            #expect(origin.process.output == origin.url + "\n", "its address is all it says")
        }

        @Test func endsAtOnceWhenItIsAskedTo() async throws {
            let sandbox = try Sandbox("ending")
            let origin = try await ServeProcess(sandbox, "--rate", "1MiB")
            // In the middle of a body, too.
            let curl = try sandbox.start(
                BuiltBinary.tool("curl"), ["-q", "-sS", "--noproxy", "*", "-o", "part", origin.url + "/bytes/64MiB"])
            #expect(
                try await eventually(within: 10) {
                    (try? FileManager.default.attributesOfItem(atPath: sandbox.work + "/part")[.size] as? Int) ?? 0 > 0
                })
            origin.process.send(SIGTERM)
            // The body would take a minute.
            #expect(try await origin.process.end(within: 20).status == 0)
            #expect(try await curl.end(within: 20).status != 0)
        }

        @Test func aPortInUseAndAnAuthorityThatCannotBeWrittenAreSaid() async throws {
            let sandbox = try Sandbox("port")
            let origin = try await ServeProcess(sandbox)
            for (words, said) in [
                (["--port", "\(origin.port)"], ["\(origin.port)", "in use"]),
                (["--tls", "missing/authority.pem"], ["--tls: missing/authority.pem cannot be written"]),
            ] {
                let second = try await sandbox.fetchbench(["serve"] + words, status: 2)
                #expect(second.output.isEmpty && said.allSatisfy(second.complaint.contains), "\(second.complaint)")
            }
            #expect(origin.process.isRunning)
            #expect(try FileManager.default.contentsOfDirectory(atPath: sandbox.work).isEmpty, "nothing is left behind")
        }

        @Test func servesOverTLSToWhoeverTrustsTheAuthorityItWrote() async throws {
            let sandbox = try Sandbox("tls")
            try sandbox.write("what was there before", to: "authority.pem")
            let origin = try await ServeProcess(sandbox, "--tls", "authority.pem")
            let url = try #require(origin.secureURL)
            #expect(url.hasPrefix("https://127.0.0.1:") && origin.process.output == "\(origin.url)\n\(url)\n")
            let file = sandbox.work + "/authority.pem"
            let attributes = try FileManager.default.attributesOfItem(atPath: file)
            #expect(attributes[.posixPermissions] as? Int == 0o644)
            #expect(try FileManager.default.contentsOfDirectory(atPath: sandbox.work) == ["authority.pem"])
            let text = try String(contentsOfFile: file, encoding: .utf8)
            #expect(text.hasPrefix("-----BEGIN CERTIFICATE-----\n") && text.hasSuffix("-----END CERTIFICATE-----\n"))
            #expect(!text.contains("PRIVATE"))
            let curl = ["-q", "-sS", "--fail", "--noproxy", "*", "-o", "fetched", url + "/text/3MiB?seed=7"]
            let trusted = try sandbox.start(BuiltBinary.tool("curl"), ["--cacert", file] + curl)
            #expect(try await trusted.end(within: 60).status == 0)
            let plain = try await sandbox.tool(
                "curl", "-q", "-sS", "--fail", "--noproxy", "*", "-o", "plain", origin.url + "/text/3MiB?seed=7")
            #expect(plain.status == 0)
            #expect(try await sandbox.tool("cmp", "fetched", "plain").status == 0)
            let refused = try sandbox.start(BuiltBinary.tool("curl"), curl)
            #expect(try await refused.end(within: 60).status == 60)
            origin.process.send(SIGTERM)
            #expect(try await origin.process.end(within: 60).status == 0)
        }

        @Test func anUploadOfManyTimesTheLimitIsNeverHeld() async throws {
            let sandbox = try Sandbox("upload")
            let origin = try await ServeProcess(sandbox)
            // A hole in a file has no blocks on the disk; its bytes are zeros.
            #expect(try await sandbox.tool("truncate", "-s", "256M", "upload").status == 0)
            let before = try #require(peak(of: origin.process))
            let sent = try await sandbox.tool(
                "curl", "-q", "-sS", "--fail", "--noproxy", "*", "-T", "upload", origin.url + "/sink", within: 150)
            #expect(
                sent.output
                    == "{\"bytes\":268435456,\"sha256\":"
                    + "\"a6d72ac7690f53be6ae46ba88506bd97302a093f7108472bd9efc3cefda06484\"}\n")
            let after = try #require(peak(of: origin.process))
            #expect(after - before < 16 << 20, "its peak grew by \(after - before) bytes")
        }

        @Test func aCompressedTextIsNeverHeld() async throws {
            let sandbox = try Sandbox("gzip")
            let origin = try await ServeProcess(sandbox, "--rate", "unlimited")
            let url = origin.url + "/text/64MiB?encoding=gzip"
            let before = try #require(peak(of: origin.process))
            let fetched = try await sandbox.tool(
                "curl", "-q", "-sS", "--fail", "--noproxy", "*", "-H", "Accept-Encoding: gzip", "-o", "/dev/null", url,
                within: 150)
            #expect(fetched.status == 0)
            let after = try #require(peak(of: origin.process))
            #expect(after - before < 16 << 20, "its peak grew by \(after - before) bytes")
        }

        @Test func itsLogIsNeverHeldAsText() async throws {
            let sandbox = try Sandbox("log")
            let origin = try await ServeProcess(sandbox)
            let curl = ["-q", "-sS", "--noproxy", "*", "-o"]
            let fields = ["A", "B", "C", "D"].flatMap { ["-H", "X-\($0): " + String(repeating: "x", count: 4000)] }
            let asked = try sandbox.start(
                BuiltBinary.tool("curl"),
                curl + ["/dev/null", "-Z", "--parallel-max", "2"] + fields + [origin.url + "/bytes/1?n=[1-2000]"])
            #expect(try await asked.end(within: 60).status == 0)
            let before = try #require(peak(of: origin.process))
            let read = try sandbox.start(BuiltBinary.tool("curl"), curl + ["log", origin.url + "/requests"])
            #expect(try await read.end(within: 60).status == 0)
            let after = try #require(peak(of: origin.process))
            #expect(after - before < 16 << 20, "its peak grew by \(after - before) bytes")
            let log = try Data(contentsOf: URL(fileURLWithPath: sandbox.work + "/log"), options: .alwaysMapped)
            #expect(log.count > 2000 * 16_000, "\(log.count) bytes")
            #expect(log.starts(with: Data("[{".utf8)) && log.suffix(3) == Data("}]\n".utf8))
        }

        /// The high-water mark of a process in bytes, from its `/proc/PID/status`.
        private func peak(of process: Spawned) -> Int? {
            let status = try? String(contentsOfFile: "/proc/\(process.identifier)/status", encoding: .utf8)
            let line = status?.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
            return line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) }.map { $0 * 1024 }
        }
    }
}
