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

        /// What the step told the steps after it, by name; the last word wins.
        private func outputs() throws -> [String: String] {
            let lines = try String(contentsOfFile: sandbox.work + "/output", encoding: .utf8).split(separator: "\n")
            let pairs = lines.map { $0.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false) }
            return Dictionary(pairs.map { (String($0[0]), String($0.last ?? "")) }) { $1 }
        }

        @Test(arguments: [("peak <= 64 MiB", "0", "within"), ("peak <= 4 MiB", "1", "red")])
        func budgetsAreJudged(budget: String, status: String, verdict: String) async throws {
            try sandbox.write(SmallSuite(trials: 2).text, to: "suite.yml")
            let ended = try await step("judge", ["SUITE": "suite.yml", "BUDGETS": "\n  */hold/*: \(budget)\n"])
            #expect(ended.status == 0, "the step is green, whatever the verdict is: \(ended.complaint)")
            let outputs = try outputs()
            #expect(outputs["status"] == status && outputs["verdict"] == verdict, "\(outputs)")
            #expect(outputs["effect"]?.contains("64KiB/hold") == (verdict == "red"), "\(outputs)")
            #expect(FileManager.default.fileExists(atPath: try #require(outputs["report"])), "\(outputs)")
            let summary = try String(contentsOfFile: sandbox.work + "/summary", encoding: .utf8)
            #expect(!summary.isEmpty)
        }

        @Test func twoCommandsAreCompared() async throws {
            let ended = try await step(
                "judge",
                [
                    "BASE_EXEC": SmallSuite.holding(8), "HEAD_EXEC": SmallSuite.holding(24),
                    "ARGUMENTS": "--asset=64KiB\n--rate=unlimited\n--no-explain\n",
                ])
            #expect(ended.status == 0, "\(ended.complaint)")
            let outputs = try outputs()
            #expect(outputs["status"] == "1" && outputs["verdict"] == "red", "\(outputs)")
            #expect(outputs["effect"]?.contains(/command.*: \+\d+(\.\d)? %/) == true, "\(outputs)")
        }

        @Test(arguments: [
            ([:], "give base and head"), (["BASE": "x"], "base and head go together"),
            (["HEAD_EXEC": "x"], "base-exec and head-exec go together"), (["BUDGETS": "peak <= 1 MiB"], "budgets need"),
        ])
        func whatWasForgottenIsSaid(variables: [String: String], words: String) async throws {
            let ended = try await step("judge", variables)
            #expect(ended.status == 64 && ended.output.contains("::error::\(words)"), "\(ended.output)")
            #expect(try outputs()["status"] == "64")
        }

        @Test func aToolThatIsMissingIsSaidBeforeAnythingIsMeasured() async throws {
            let folder = sandbox.work + "/tools"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            for tool in ["bash", "mkdir"] {
                try FileManager.default.createSymbolicLink(
                    atPath: folder + "/" + tool, withDestinationPath: BuiltBinary.tool(tool))
            }
            let ended = try await step("judge", ["PATH": folder, "SUITE": "suite.yml"])
            #expect(ended.status == 64 && ended.output.contains("::error::jq is missing"), "\(ended.complaint)")
            #expect(try outputs()["status"] == "64")
        }

        @Test func whatIsOnThePathIsTakenAndATarballUnpacked() async throws {
            let there = try await step("install", ["VERSION": "0.1.0"])
            #expect(there.status == 0 && there.output.contains("is there already"))
            // A tarball with the layout of ours, and a command that can do nothing but tell its version.
            let folder = "fetchbench-7-any/bin"
            try FileManager.default.createDirectory(
                atPath: sandbox.work + "/" + folder, withIntermediateDirectories: true)
            try sandbox.write("#!/bin/sh\necho 7\n", to: folder + "/fetchbench")
            #expect(try await sandbox.tool("chmod", "+x", folder + "/fetchbench").status == 0)
            #expect(try await sandbox.tool("tar", "-cJf", "own.tar.xz", "fetchbench-7-any").status == 0)
            let variables = ["VERSION": "7", "TARBALL": sandbox.work + "/own.tar.xz"]
            let unpacked = try await step("install", variables)
            #expect(unpacked.status == 0, "\(unpacked.complaint)")
            let path = try String(contentsOfFile: sandbox.work + "/path", encoding: .utf8)
            #expect(path == sandbox.work + "/runner/fetchbench/bin\n")
        }

        /// What a made-up service is asked, a line each: method, path, number of lines of the comment.
        private static let service = """
            import http.server, json, sys
            class Handler(http.server.BaseHTTPRequestHandler):
                def do(self):
                    body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                    text = json.loads(body)["body"] if body else ""
                    open("asked", "a").write(f"{self.command} {self.path} {len(text.splitlines())} {text[:19]}\\n")
                    posted = [line for line in open("asked") if line.startswith("POST")]
                    answer = json.dumps([{"id": 7, "body": "<!-- fetchbench -->"}] if posted else [{"id": 1, "body": "hi"}])
                    self.send_response(200)
                    self.send_header("Content-Length", str(len(answer)))
                    self.end_headers()
                    self.wfile.write(answer.encode())
                do_GET = do_POST = do_PATCH = do
                def log_message(self, *words): pass
            server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
            print(server.server_port, flush=True)
            server.serve_forever()
            """

        @Test func thereIsOneCommentOfTwentyLines() async throws {
            let server = try sandbox.start(BuiltBinary.tool("python3"), ["-c", Self.service])
            #expect(try await eventually(within: 20) { server.output.hasSuffix("\n") })
            try FileManager.default.createDirectory(atPath: sandbox.work + "/run", withIntermediateDirectories: true)
            try sandbox.write(String(repeating: "| a | row |\n", count: 60), to: "run/judgement.md")
            let port = server.output.trimmingCharacters(in: .whitespacesAndNewlines)
            let variables = ["FOLDER": sandbox.work + "/run", "GITHUB_API_URL": "http://127.0.0.1:\(port)"]
            // Pushed, and no pull request: nobody is asked.
            try sandbox.write("{}", to: "event.json")
            #expect(try await step("comment", variables).status == 0)
            try sandbox.write("{\"pull_request\": {\"number\": 5}}", to: "event.json")
            for _ in 0..<2 {
                let ended = try await step("comment", variables)
                #expect(ended.status == 0, "\(ended.complaint)")
            }
            let asked = try String(contentsOfFile: sandbox.work + "/asked", encoding: .utf8).split(separator: "\n")
            let issue = "/repos/somebody/something/issues"
            #expect(
                asked == [
                    "GET \(issue)/5/comments?per_page=100 0 ", "POST \(issue)/5/comments 20 <!-- fetchbench -->",
                    "GET \(issue)/5/comments?per_page=100 0 ", "PATCH \(issue)/comments/7 20 <!-- fetchbench -->",
                ])
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

        /// What the linters of workflows look for, as far as it can be had without them.
        @Test func theActionIsWellFormed() async throws {
            let program = """
                import re, subprocess, sys, yaml
                action = yaml.safe_load(open(sys.argv[1] + "/action.yml"))
                assert set(action) == {"name", "description", "inputs", "outputs", "runs"}, set(action)
                assert len(action["description"]) <= 125 and action["runs"]["using"] == "composite"
                steps = action["runs"]["steps"]
                identifiers = {step.get("id") for step in steps}
                text = open(sys.argv[1] + "/action.yml").read()
                for expression in re.findall(r"\\$\\{\\{(.*?)\\}\\}", text):
                    for name in re.findall(r"inputs\\.([\\w-]+)", expression):
                        assert name in action["inputs"], name
                    for name in re.findall(r"steps\\.([\\w-]+)", expression):
                        assert name in identifiers, name
                for entry in list(action["inputs"].values()) + list(action["outputs"].values()):
                    assert entry["description"]
                for step in steps:
                    assert ("uses" in step) != ("run" in step) and step["name"], step
                    if "run" in step:
                        assert step["shell"] == "bash" and "${{" not in step["run"], "what a user gives is no program"
                        subprocess.run(["shellcheck", "-s", "bash", "-"], input=step["run"], text=True, check=True)
                    else:
                        assert re.fullmatch(r"[\\w-]+/[\\w-]+@v\\d+", step["uses"]), step["uses"]
                """
            let ended = try await sandbox.tool("python3", "-c", program, BuiltBinary.package)
            #expect(ended.status == 0, "\(ended.output)\(ended.complaint)")
        }
    }
}
