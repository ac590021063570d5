// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

extension EndToEnd {
    /// The shell of `action.yml`, with a runner's environment made up.
    @Suite struct Action {
        private let sandbox: Sandbox

        init() throws {
            sandbox = try Sandbox("action")
            for file in ["output", "path", "summary", "event.json"] { try sandbox.write("", to: file) }
        }

        private func step(_ script: String, _ variables: [String: String]) async throws -> Ended {
            let folder = URL(fileURLWithPath: BuiltBinary.path).deletingLastPathComponent().path
            var environment = [
                "PATH": "\(folder):/usr/bin:/bin", "RUNNER_TEMP": sandbox.work + "/runner",
                "GITHUB_OUTPUT": sandbox.work + "/output", "GITHUB_PATH": sandbox.work + "/path",
                "GITHUB_STEP_SUMMARY": sandbox.work + "/summary", "GITHUB_EVENT_PATH": sandbox.work + "/event.json",
                "GITHUB_ACTIONS": "true", "GITHUB_REPOSITORY": "somebody/something", "GITHUB_TOKEN": "token",
            ]
            environment.merge(variables) { $1 }
            let path = BuiltBinary.package + "/scripts/action/\(script).sh"
            return try await sandbox.start(path, [], environment: environment).end(within: 150)
        }

        @Test(arguments: [("peak <= 64 MiB", "0", "within"), ("peak <= 4 MiB", "1", "red")])
        func budgetsAreJudged(budget: String, status: String, verdict: String) async throws {
            try sandbox.write(SmallSuite(trials: 2).text, to: "suite.yml")
            let ended = try await step("judge", ["SUITE": "suite.yml", "BUDGETS": "\n  */hold/*: \(budget)\n"])
            #expect(ended.status == 0, "the step is green, whatever the verdict is: \(ended.complaint)")
            let outputs = try sandbox.actionOutputs()
            #expect(outputs["status"] == status && outputs["verdict"] == verdict, "\(outputs)")
            #expect(outputs["effect"]?.contains("64KiB/hold") == (verdict == "red"), "\(outputs)")
            #expect(FileManager.default.fileExists(atPath: try #require(outputs["report"])), "\(outputs)")
            let summary = try sandbox.text(of: "summary")
            #expect(!summary.isEmpty)
        }

        @Test(arguments: [
            ([:], "give base and head"), (["BASE": "x"], "base and head go together"),
            (["HEAD_EXEC": "x"], "base-exec and head-exec go together"), (["BUDGETS": "peak <= 1 MiB"], "budgets need"),
        ])
        func missingVariablesAreReported(variables: [String: String], words: String) async throws {
            let ended = try await step("judge", variables)
            #expect(ended.status == 64 && ended.output.contains("::error::\(words)"), "\(ended.output)")
            #expect(try sandbox.actionOutputs()["status"] == "64")
        }

        /// A tarball with the layout of ours, and a command that can do nothing but tell its version.
        private func pack(version: String, as name: String) async throws {
            let folder = "fetchbench-\(version)-any"
            try FileManager.default.createDirectory(
                atPath: sandbox.work + "/\(folder)/bin", withIntermediateDirectories: true)
            try sandbox.write("#!/bin/sh\necho \(version)\n", to: folder + "/bin/fetchbench")
            #expect(try await sandbox.tool("chmod", "+x", folder + "/bin/fetchbench").status == 0)
            #expect(try await sandbox.tool("tar", "-cJf", name, folder).status == 0)
        }

        private func sum(of name: String) async throws -> String {
            String(try await sandbox.tool("sha256sum", name).output.prefix(64))
        }

        @Test func installedProgramsAreUsedAndTarballsUnpacked() async throws {
            let version = try await sandbox.fetchbench("--version").output.trimmingCharacters(
                in: .whitespacesAndNewlines)
            let there = try await step("install", ["VERSION": version])
            #expect(there.status == 0 && there.output.contains("is there already"))
            try await pack(version: "7", as: "own.tar.xz")
            let variables = ["VERSION": version, "TARBALL": sandbox.work + "/own.tar.xz"]
            let unpacked = try await step("install", variables)
            #expect(unpacked.status == 0, "\(unpacked.complaint)")
            let path = try sandbox.text(of: "path")
            #expect(path == sandbox.work + "/runner/fetchbench/bin\n")
        }

        @Test func aDownloadWithoutItsSumIsNotUnpacked() async throws {
            try await pack(version: "7", as: "own.tar.xz")
            let server = try sandbox.start(
                BuiltBinary.tool("python3"), ["-u", "-m", "http.server", "--bind", "127.0.0.1", "0"])
            #expect(try await eventually(within: 20) { server.output.contains("/) ...") })
            let port = try #require(server.output.firstMatch(of: /port (\d+)/)?.output.1)
            let variables = ["VERSION": "7", "TARBALL": "http://127.0.0.1:\(port)/own.tar.xz"]
            let sum = try await sum(of: "own.tar.xz")
            let wrong = String(repeating: "0", count: 64)
            let place = sandbox.work + "/runner/fetchbench/bin/fetchbench"
            let refusals: [(sums: String?, SHA256: String)] = [
                (nil, ""), ("", ""), ("\(sum)  another.tar.xz\n", ""), ("\(wrong)  own.tar.xz\n", ""),
                ("\(sum)  own.tar.xz\n", wrong), ("\(sum)  own.tar.xz.sig\n", ""),
            ]
            for refusal in refusals {
                if let sums = refusal.sums { try sandbox.write(sums, to: "SHA256SUMS") }
                let ended = try await step("install", variables.merging(["SHA256": refusal.SHA256]) { $1 })
                #expect(
                    ended.status == 2 && ended.output.contains("nothing is unpacked"), "\(refusal): \(ended.output)")
                #expect(!FileManager.default.fileExists(atPath: place))
                #expect(try sandbox.text(of: "path").isEmpty)
            }
            for (sums, given) in [("\(sum)  own.tar.xz\n", ""), ("", sum.uppercased()), ("\(sum) *own.tar.xz\n", "")] {
                try sandbox.write(sums, to: "SHA256SUMS")
                let ended = try await step("install", variables.merging(["SHA256": given]) { $1 })
                #expect(ended.status == 0 && FileManager.default.fileExists(atPath: place), "\(ended.complaint)")
                try FileManager.default.removeItem(atPath: sandbox.work + "/runner/fetchbench")
            }
        }

        /// A made-up service with comments in its pages; who asks is `SELF`, and what is asked is kept, a line each: method,
        /// path, number of lines of the comment and how it begins.
        private static let service = """
            import http.server, json, os, re
            marker = "<!-- fetchbench -->"
            comments = [{"id": number, "body": f"word {number}", "user": {"login": "somebody", "type": "User"}}
                for number in range(1, int(os.environ["BEFORE"]) + 1)]
            # Anybody can write the marker, and quote our comment.
            comments[1:1] = [{"id": 5000, "body": marker + " mine", "user": {"login": "mallory", "type": "User"}},
                {"id": 5001, "body": "> " + marker, "user": {"login": "github-actions[bot]", "type": "Bot"}}]
            class Handler(http.server.BaseHTTPRequestHandler):
                def do(self):
                    body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                    assert self.headers["Authorization"] == "Bearer token", self.headers
                    text = json.loads(body).get("body", "") if body else ""
                    open("asked", "a").write(f"{self.command} {self.path} {len(text.splitlines())} {text[:19]}\\n")
                    status, answer = 200, {}
                    if self.path == "/graphql":
                        login = os.environ["SELF"]
                        status, answer = (200, {"data": {"viewer": {"login": login}}}) if login else (403, {})
                    elif self.command == "POST":
                        comments.append({"id": 9007, "body": text, "user": {
                            "login": "github-actions[bot]", "type": "Bot"}})
                    elif self.command == "GET":
                        page = int(re.search(r"[?&]page=(\\d+)", self.path).group(1))
                        answer = comments[100 * (page - 1):100 * page]
                    answer = json.dumps(answer)
                    self.send_response(status)
                    self.send_header("Content-Length", str(len(answer)))
                    self.end_headers()
                    self.wfile.write(answer.encode())
                do_GET = do_POST = do_PATCH = do
                def log_message(self, *words): pass
            server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
            print(server.server_port, flush=True)
            server.serve_forever()
            """

        /// However many comments there are before it, whoever else wrote our marker, and where the token may not be asked.
        @Test(arguments: [(1, "github-actions[bot]"), (298, "")])
        func thereIsOneCommentOfTwentyLines(before: Int, asker: String) async throws {
            let server = try sandbox.start(
                BuiltBinary.tool("python3"), ["-c", Self.service], environment: ["BEFORE": "\(before)", "SELF": asker])
            #expect(try await eventually(within: 20) { server.output.hasSuffix("\n") })
            try FileManager.default.createDirectory(atPath: sandbox.work + "/run", withIntermediateDirectories: true)
            try sandbox.write(String(repeating: "| a | row |\n", count: 60), to: "run/judgement.md")
            let port = server.output.trimmingCharacters(in: .whitespacesAndNewlines)
            let variables = ["FOLDER": sandbox.work + "/run", "GITHUB_API_URL": "http://127.0.0.1:\(port)"]
            // Pushed, and no pull request: nobody is asked.
            try sandbox.write("{}", to: "event.json")
            #expect(try await step("comment", variables).status == 0)
            #expect(!FileManager.default.fileExists(atPath: sandbox.work + "/asked"))
            try sandbox.write("{\"pull_request\": {\"number\": 5}}", to: "event.json")
            for _ in 0..<3 {
                let ended = try await step("comment", variables)
                #expect(ended.status == 0 && ended.output.isEmpty, "\(ended.output)\(ended.complaint)")
            }
            let asked = try sandbox.text(of: "asked").split(separator: "\n")
            let issue = "/repos/somebody/something/issues"
            let written = asked.filter { !$0.hasPrefix("GET ") && !$0.contains("/graphql ") }
            #expect(
                written == ["POST \(issue)/5/comments 20 <!-- fetchbench -->"]
                    + Array(repeating: "PATCH \(issue)/comments/9007 20 <!-- fetchbench -->", count: 2))
            let pages = asked.filter { $0.hasPrefix("GET \(issue)/5/comments?per_page=100&page=") }
            #expect(pages.count <= 3 * (before / 100 + 2), "\(asked)")
        }

        @Test func aCommentThatCannotBeWrittenIsAWarning() async throws {
            try FileManager.default.createDirectory(atPath: sandbox.work + "/run", withIntermediateDirectories: true)
            try sandbox.write("a verdict\n", to: "run/judgement.md")
            try sandbox.write("{\"pull_request\": {\"number\": 5}}", to: "event.json")
            // Nobody listens on the first port.
            let variables = ["FOLDER": sandbox.work + "/run", "GITHUB_API_URL": "http://127.0.0.1:1"]
            let ended = try await step("comment", variables)
            #expect(ended.status == 0 && ended.output.contains("::warning::the comment could not be looked up"))
        }
    }
}

extension Sandbox {
    fileprivate func actionOutputs() throws -> [String: String] {
        let lines = try text(of: "output").split(separator: "\n")
        let pairs = lines.map { $0.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false) }
        return Dictionary(pairs.map { (String($0[0]), String($0.last ?? "")) }) { $1 }
    }
}

extension EndToEnd {
    @Suite struct ActionReplays {
        private static let runs = BuiltBinary.package + "/Tests/FetchBenchTests/Action"
        private let sandbox: Sandbox

        init() throws {
            sandbox = try Sandbox("replay")
            try sandbox.write("name: any\n", to: "suite.yml")
        }

        /// A `fetchbench` that leaves behind what the real one has left, and ends as it has ended.
        private func replay(_ name: String) async throws -> [String: String] {
            let folder = sandbox.work + "/\(name)-bin"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            let script = """
                #!/bin/bash
                while [ "$1" != --output ]; do shift; done
                cp -R '\(Self.runs)/\(name)'/*/ "$2/" && exit "$(cat '\(Self.runs)/\(name)/status')"
                """
            try sandbox.write(script, to: "\(name)-bin/fetchbench")
            #expect(try await sandbox.tool("chmod", "+x", folder + "/fetchbench").status == 0)
            try sandbox.write("", to: "output")
            let environment = [
                "PATH": "\(folder):/usr/bin:/bin", "RUNNER_TEMP": sandbox.work + "/runner", "SUITE": "suite.yml",
                "GITHUB_OUTPUT": sandbox.work + "/output",
            ]
            let path = BuiltBinary.package + "/scripts/action/judge.sh"
            let ended = try await sandbox.start(path, [], environment: environment).end(within: 60)
            #expect(ended.status == 0, "\(ended.complaint)")
            return try sandbox.actionOutputs()
        }

        /// The judged folder, and the worst change in its own unit: a share of a process, bytes of a scenario's figure, a
        /// budget's words; of no change that is bad the improvement, and not the noise beside it.
        @Test(arguments: [
            ("regressed", "1", "red", #"64KiB/hold/none/glibc \w+: \+7\d(\.\d)? %"#),
            ("improved", "0", "within", #"64KiB/hold/none/glibc \w+: -4\d(\.\d)? %"#),
            ("scenario", "1", "red", #"4KiB/raw/none/glibc/scenario=repeat allocated_slope_bytes: \+6\d B"#),
            ("over-budget", "1", "red", #"64KiB/hold/none/glibc: .*14\.\d MiB.*"#), ("none", "2", "none", ".*"),
        ])
        func aJudgedRunIsTold(name: String, status: String, verdict: String, effect: String) async throws {
            let outputs = try await replay(name)
            #expect(outputs["status"] == status && outputs["verdict"] == verdict, "\(outputs)")
            let folder = try #require(outputs["folder"])
            #expect(FileManager.default.fileExists(atPath: folder + "/judgement.json"), "\(outputs)")
            #expect(FileManager.default.fileExists(atPath: folder + "/judgement.md"), "the comment is made of it")
            #expect(outputs["report"] == folder + "/report.html")
            // Otherwise this would be no test of runs that were confirmed.
            let confirmed = ["regressed", "improved", "scenario"].contains(name)
            let made = try FileManager.default.contentsOfDirectory(atPath: Self.runs + "/" + name)
            #expect(made.contains { $0.hasSuffix("-confirmation") } == confirmed, "\(made)")
            #expect(try Regex(effect).wholeMatch(in: outputs["effect"] ?? "") != nil, "\(outputs)")
        }
    }
}
