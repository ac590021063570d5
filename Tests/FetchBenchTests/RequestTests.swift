// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Synchronization
import Testing

extension EndToEnd {
    /// Headers, methods and bodies of foreign URLs: they arrive, they open doors, and they are kept nowhere.
    @Suite struct Requests {
        private static let secret = "UNGUESSABLE-t0ken-4711"
        /// Modes of every client library; those of the first line follow redirects.
        private static let followers =
            "data,download,stream,taskgroup-data,ahc-stream,ahc-file,curl-stream,publisher-data"
        private static let modes = followers + ",raw,nio-stream"

        private func traces(of ended: [Ended], in folders: [String]) throws -> [(place: String, text: String)] {
            var traces = ended.flatMap { [("standard output", $0.output), ("standard error", $0.complaint)] }
            for folder in folders {
                for name in (try? FileManager.default.subpathsOfDirectory(atPath: folder)) ?? [] {
                    guard let data = FileManager.default.contents(atPath: folder + "/" + name) else { continue }
                    traces.append((name, String(decoding: data, as: UTF8.self)))
                }
            }
            return traces
        }

        /// Refuses whoever does not bring the secret; notes everything that is asked.
        private final class Door: Sendable {
            let server: SocketServer
            private let asked: Asked

            var requests: [String] { asked.all.withLock { $0 } }

            private final class Asked: Sendable {
                let all = Mutex<[String]>([])
            }

            init(secret: String) throws {
                let asked = Asked()
                self.asked = asked
                server = try SocketServer { request in
                    asked.all.withLock { $0.append(request) }
                    guard request.contains(secret) else {
                        return Array("HTTP/1.1 401 No\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".utf8)
                    }
                    let body = request.hasPrefix("HEAD ") ? "" : "behind the door"
                    return Array("HTTP/1.1 200 OK\r\nContent-Length: 15\r\nConnection: close\r\n\r\n\(body)".utf8)
                }
            }
        }

        @Test func aSecretOpensTheDoorAndIsKeptNowhere() async throws {
            let sandbox = try Sandbox("secret")
            let door = try Door(secret: Self.secret)
            try sandbox.write(
                "Authorization: Bearer \(Self.secret)\nX-Api-Key: \(Self.secret)-too\n", to: "headers.txt")
            let url = door.server.url + "/asset"
            let arguments = ["run", "--url", url, "--mode", Self.modes, "--render", "none", "--trials", "1"]
            let ended = try await sandbox.fetchbench(arguments + ["--header", "@headers.txt"], status: 0)
            let run = try sandbox.onlyRun()
            let rows = try run.table("trials.csv").rows.filter { $0["mode"] != "none" }
            #expect(rows.count == 10 && rows.allSatisfy { $0["outcome"] == "completed" && $0["body_bytes"] == "15" })
            // The reference and the warm-up bring it, too: nobody was refused.
            let heads = door.requests.count { $0.hasPrefix("HEAD ") }
            #expect(heads == 11 && door.requests.allSatisfy { $0.contains(Self.secret + "-too") })
            let folders = [sandbox.work + "/results", sandbox.temporary]
            let traces = try self.traces(of: [ended], in: folders)
            #expect(traces.count >= 9, "two streams and seven files")
            for trace in traces { #expect(!trace.text.contains("UNGUESSABLE"), "\(trace.place)") }
            let kept = try run.text(of: "run.json")
            #expect(kept.contains("\"header_names\"") && kept.contains("Authorization") && kept.contains("X-Api-Key"))
            let report = try run.text(of: "report.md")
            #expect(report.contains("--header 'Authorization: …' --header 'X-Api-Key: …'"), "\(report.suffix(900))")
            // The control: the same search finds what it looks for where it is.
            let control = try self.traces(of: [], in: [sandbox.work])
            #expect(control.filter { $0.text.contains("UNGUESSABLE") }.map(\.place) == ["headers.txt"])
        }

        /// Without it nobody comes in; what a refusal quotes is no secret, nor is a part of one that is longer than what is
        /// kept of a refusal.
        @Test(arguments: [1, 300]) func aRefusalIsStoredWithoutTheSecret(repetitions: Int) async throws {
            let secret = String(repeating: Self.secret, count: repetitions)
            let sandbox = try Sandbox("refusal")
            let asked = Mutex(0)
            let server = try SocketServer { request in
                // The three requests before the first trial are taken: a run begins.
                let isEarly = asked.withLock { count in
                    count += 1
                    return count <= 3
                }
                if isEarly { return SocketServer.response(request.hasPrefix("HEAD ") ? "" : "a body") }
                let line = request.split(separator: "\r\n").first { $0.hasPrefix("X-Api-Key") } ?? "nothing"
                return Array("HTTP/1.1 401 \(line)\r\nX-Echo: \(line)\r\nbroken header \(line)\r\n\r\n".utf8)
            }
            let ended = try await sandbox.fetchbench(
                "run", "--url", server.url + "/asset", "--mode", Self.modes, "--render", "none", "--trials", "1",
                "--header", "X-Api-Key: \(secret)", status: 2)
            let traces = try self.traces(of: [ended], in: [sandbox.work + "/results", sandbox.temporary])
            #expect(traces.count > 6)
            for trace in traces { #expect(!trace.text.contains("UNGUESSABLE"), "\(trace.place)") }
        }

        @Test func noProcessOfARunShowsASecret() async throws {
            let sandbox = try Sandbox("processes")
            let seen = Mutex<[String]>([])
            let server = try SocketServer { request in
                // Everything that other users may read of the requesting trial and the processes near it.
                for process in (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? [] {
                    guard Int(process) != nil else { continue }
                    for file in ["cmdline", "environ"] {
                        let data = FileManager.default.contents(atPath: "/proc/\(process)/\(file)") ?? Data()
                        let text = String(decoding: data, as: UTF8.self)
                        if text.contains("HIDDEN-FROM-PS") || text.contains("processes.txt") {
                            seen.withLock { $0.append(text) }
                        }
                    }
                }
                return SocketServer.response(request.hasPrefix("HEAD ") ? "" : "a body")
            }
            try sandbox.write("Authorization: Bearer HIDDEN-FROM-PS-4711\n", to: "processes.txt")
            let ended = try await sandbox.fetchbench(
                "run", "--url", server.url + "/asset", "--mode", "raw,data", "--render", "none", "--trials", "1",
                "--header", "@processes.txt", "--explain", status: 0, within: 200)
            // Nor does what records who holds the peak, which sees all memory of the process.
            let traces = try self.traces(of: [ended], in: [sandbox.work + "/results", sandbox.temporary])
            #expect(traces.contains { $0.place.hasSuffix("explain.json") })
            for trace in traces { #expect(!trace.text.contains("HIDDEN-FROM-PS"), "\(trace.place)") }
            let texts = seen.withLock { $0 }
            // The harness alone names the file; the control that the search would find a secret.
            #expect(
                !texts.isEmpty && texts.allSatisfy { $0.contains("processes.txt") && !$0.contains("HIDDEN-FROM-PS") })
        }

        /// nginx asks for a password and takes a body; what it logs is compared with what curl gets it to log.
        @Test func nginxTakesAPasswordAMethodAndABody() async throws {
            let sandbox = try Sandbox("nginx")
            let nginx = try await Nginx(sandbox, file: String(repeating: "served ", count: 1000))
            // `user:open sesame`, as `openssl passwd -apr1` writes it.
            let hash = try await sandbox.tool("openssl", "passwd", "-apr1", "-salt", "fetchben", "open sesame").output
            try nginx.allow("user:" + hash)
            let credentials = Data("user:open sesame".utf8).base64EncodedString()
            let header = ["--header", "Authorization: Basic \(credentials)"]
            try await sandbox.fetchbench(
                ["run", "--url", nginx.url + "/locked/file.bin", "--render", "none", "--trials", "1"]
                    + ["--mode", Self.modes] + header, status: 0)
            let asset = try #require(try sandbox.onlyRun().record().plan.assets.first)
            let hashed = try await sandbox.tool("sha256sum", sandbox.path + "/nginx/files/file.bin").output
            #expect(asset.sha256 == String(hashed.prefix(64)))
            try sandbox.write("{\"query\": \"{ painters }\"}", to: "query.json")
            let type = "Content-Type: application/json"
            let upload = ["--request-method", "PUT", "--body", "query.json", "--header", type]
            // S3 and WebDAV answer an upload with nothing; to a GET that is a mistake.
            for (path, words, status) in [("echo", upload, 0), ("empty", upload, 0), ("empty", [], 2)]
                as [(String, [String], Int32)]
            {
                try await sandbox.fetchbench(
                    ["run", "--url", "\(nginx.url)/\(path)", "--mode", Self.modes + ",raw-drop", "--render", "none"]
                        + ["--trials", "1", "--output", path] + words, status: status)
            }
            let emptied = try sandbox.onlyRun(in: "empty").table("trials.csv").rows.filter { $0["mode"] != "none" }
            #expect(emptied.count == 11 && emptied.allSatisfy { $0["body_bytes"] == "0" && $0["sent_bytes"] == "25" })
            let curl = try await sandbox.tool(
                "curl", "-q", "-sS", "--noproxy", "*", "-X", "PUT", "-H", type,
                "--data-binary", "@query.json", nginx.url + "/echo")
            #expect(curl.output == "PUT application/json 25", "\(curl.output)")
            let echoed = try #require(try sandbox.onlyRun(in: "echo").record().plan.assets.first?.sha256)
            try sandbox.write(curl.output, to: "echoed")
            #expect(try await sandbox.tool("sha256sum", "echoed").output.hasPrefix(echoed))
            let stored = try sandbox.onlyRun(in: "echo").text(of: "run.json")
            #expect(!stored.contains("query.json") && !stored.contains("painters"))
            let sum = try await sandbox.tool("sha256sum", "query.json").output.prefix(64)
            #expect(stored.contains(sum))
        }

        /// nginx answers as a proxy does, whatever the host, and no resolver may know this one.
        @Test func theUsersProxyIsAskedByTheClientsThatReadIt() async throws {
            let sandbox = try Sandbox("proxied")
            let nginx = try await Nginx(sandbox, file: String(repeating: "served ", count: 1000))
            let rows = try await sandbox.rows(
                ["--url", "http://only.invalid/file.bin", "--mode", "data,curl-stream,ahc-stream,raw"]
                    + ["--exec", "curl=curl -s -o {file} {url}"], status: 2, environment: ["http_proxy": nginx.url])
            let arrived = rows.filter { $0["outcome"] == "completed" }.compactMap { $0["mode"] }
            #expect(rows.count == 5 && Set(arrived) == ["data", "curl-stream", "curl"])
            #expect(try sandbox.onlyRun().text(of: "report.md").contains("the embedded origin is exempt"))
        }

        /// Every client speaks HTTP/2 where the server does, and HTTP/1.1 where it can be kept to it; nginx counts them.
        @Test(arguments: ["2", "1.1"]) func theVersionOfHTTPIsTheOneThatTheServerSees(version: String) async throws {
            let sandbox = try Sandbox("version")
            let nginx = try await Nginx(sandbox, file: String(repeating: "served ", count: 1000))
            let modes = "ahc-stream,ahc-collect,ahc-file,curl-stream,nio-stream"
            let asked = version == "2" ? [modes + ",data,gcd-data,publisher-data"] : [modes, "--http", "1.1"]
            let rows = try await sandbox.rows(
                ["--url", nginx.secureURL + "/file.bin", "--cacert", nginx.certificate, "--mode"] + asked)
            #expect(rows.count == (version == "2" ? 8 : 5) && rows.allSatisfy { $0["http_version"] == version })
            // The reference and its HEAD come first, whatever is asked for.
            #expect(try nginx.versions() == (version == "2" ? ["HTTP/2.0"] : ["HTTP/2.0", "HTTP/1.1"]))
        }

        @Test func anInterruptedRunNeedsThemAgain() async throws {
            let sandbox = try Sandbox("again")
            let asked = Mutex(0)
            let server = try SocketServer { request in
                guard !request.hasPrefix("HEAD ") else { return SocketServer.response("") }
                let count = asked.withLock { count in
                    count += 1
                    return count
                }
                // Behind the two of the reference, and the first trial's.
                return count == 4 ? nil : SocketServer.response("a body")
            }
            let process = try sandbox.start([
                "run", "--url", server.url + "/asset", "--mode", "raw", "--render", "none", "--trials", "3", "--header",
                "Authorization: \(Self.secret)",
            ])
            #expect(try await eventually(within: 60) { asked.withLock { $0 } == 4 })
            process.send(SIGINT)
            let interrupted = try await process.end(within: 60)
            #expect(interrupted.complaint.contains("--header 'Authorization: …'"), "\(interrupted.complaint)")
            let run = try sandbox.onlyRun().folder
            var ended = [interrupted]
            for (words, status, said) in [
                ([], Int32(2), "'Authorization: …'"), (["--header", "X-Other: \(Self.secret)"], 2, ""),
                (["--request-method", "POST"], 64, ""), (["--header", "Authorization: renewed"], 0, ""),
            ] {
                ended.append(try await sandbox.fetchbench(["run", "--resume", run] + words))
                let last = ended[ended.count - 1]
                #expect(last.status == status && (said.isEmpty || last.complaint.contains(said)), "\(last.complaint)")
            }
            for trace in try traces(of: ended, in: [sandbox.work, sandbox.temporary]) {
                #expect(!trace.text.contains("UNGUESSABLE") && !trace.text.contains("renewed"), "\(trace.place)")
            }
        }

        @Test func theReportsLineMeasuresTheSameAgain() async throws {
            let sandbox = try Sandbox("line")
            let server = try SocketServer { SocketServer.response($0.hasPrefix("HEAD ") ? "" : "a body") }
            try sandbox.write("sent", to: "sent.txt")
            try await sandbox.fetchbench(
                "run", "--url", server.url + "/a?x=it's;$HOME&y=(a)*~%20!", "--mode", "raw", "--render", "none",
                "--trials", "1", "--header", "X-It's: \(Self.secret)", "--request-method", "PUT", "--body", "sent.txt",
                status: 0)
            let run = try sandbox.onlyRun()
            let text = try run.text(of: "report.md").split(separator: "\n").first {
                $0.hasPrefix("    fetchbench run ")
            }
            let line = try #require(text).trimmingCharacters(in: .whitespaces)
            let asItIs = try await sandbox.shell(line + " --output never")
            #expect(asItIs.status == 64 && asItIs.complaint.contains("is not stored"), "\(asItIs.complaint)")
            let filled = line.replacing("--body '…'", with: "--body sent.txt").replacing("…", with: "other")
            let again = try await sandbox.shell(filled + " --output again")
            #expect(again.status == 0, "\(filled): \(again.complaint)")
            #expect(try PlanOfRun(sandbox.onlyRun(in: "again")) == PlanOfRun(run))
        }
    }
}
