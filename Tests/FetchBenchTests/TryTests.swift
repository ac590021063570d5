// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

extension Conduct {
    /// `fetchbench try`: what keeps the rules passes, and what breaks one is named with what to do.
    @Suite struct TryingPrograms {
        private static let examples = BuiltBinary.package + "/Examples"
        private static let python = examples + "/protocol-in-python/trial_program.py"

        private func states(
            of program: String, _ flags: String..., status: Int32 = 0, in sandbox: Sandbox
        ) async throws -> (states: [String: String], output: String) {
            let ended = try await sandbox.fetchbench(["try", "--program", program, "--quiet"] + flags, status: status)
            #expect(ended.complaint.isEmpty, "\(ended.complaint)")
            let states = ended.output.split(separator: "\n").filter { !$0.hasPrefix(" ") }.map { line in
                let state = line.prefix { $0 != " " }
                let rest = line.dropFirst(state.count).drop { $0 == " " }
                return (rest.components(separatedBy: "  ")[0], String(state))
            }
            return (Dictionary(states) { first, _ in first }, ended.output)
        }

        private func program(_ edits: [(String, String)], in sandbox: Sandbox) throws -> String {
            var text = try String(contentsOfFile: Self.python, encoding: .utf8)
            for (old, new) in edits {
                try #require(text.contains(old), "\(old)")
                text = text.replacing(old, with: new)
            }
            return try sandbox.write(program: text, to: "edited.py")
        }

        @Test func theExampleInPythonKeepsTheRules() async throws {
            let sandbox = try Sandbox("try")
            let example = "\(Self.examples)/protocol-in-python/scenario_program.py"
            let (states, output) = try await states(of: example, in: sandbox)
            for check in ["description", "mode none", "floor", "peak", "exactness", "error status", "truncated body"] {
                #expect(states[check] == "ok", "\(check): \(output)")
            }
            #expect(sandbox.runFolders().isEmpty)
        }

        /// A compiled language whose heap is its own: tried, measured beside a mode on glibc, and never on an allocator
        /// that it does not have.
        @Test func theExampleInGoKeepsTheRulesAndIsMeasured() async throws {
            let sandbox = try Sandbox("go")
            let program = sandbox.path + "/go-trials"
            let built = try await sandbox.shell(
                "cd '\(Self.examples)/protocol-in-go' && HOME='\(sandbox.path)' CGO_ENABLED=0 go build -o '\(program)' .",
                within: 300)
            #expect(built.status == 0, "\(built.complaint)")
            let (states, output) = try await states(of: program, in: sandbox)
            for check in ["exactness", "floor", "mode go-read", "no retries"] {
                #expect(states[check] == "ok", "\(check): \(output)")
            }
            let plan = ["run", "--program", program, "--asset", "4MiB", "--render", "none", "--trials", "1", "--quiet"]
            try await sandbox.fetchbench(plan + ["--mode", "go-stream,raw"], status: 0)
            let rows = try sandbox.onlyRun().table("trials.csv").rows.map {
                "\($0["mode"] ?? "") \($0["allocator"] ?? "")"
            }
            #expect(Set(rows) == ["go-stream own", "raw glibc", "none own", "none glibc"])
            let refused = try await sandbox.fetchbench(
                plan + ["--mode", "go-stream", "--allocator", "jemalloc", "--output", "refused"])
            #expect(refused.status == 64 && refused.complaint.contains("--allocator own"), "\(refused.complaint)")
        }

        /// Broken rules that do not hide one another: each check, its state, and how the example is changed.
        @Test(arguments: [
            (
                [
                    "error status": "failed", "one request": "limited", "exactness": "limited", "purged": "limited",
                    "floor": "limited",
                ],
                [
                    (
                        "    return urllib.request.urlopen(asked, timeout=request[\"idleTimeoutSeconds\"])",
                        "    try:\n        return urllib.request.urlopen(asked, timeout=9)\n    except urllib.error.HTTPError "
                            + "as error:\n        return error"
                    ),
                    ("\"Accept-Encoding\": \"identity\"", "\"Accept-Encoding\": \"gzip\""),
                    ("\"exactness\": exactness()", "\"exactness\": \"off by up to 4 KiB\""),
                    ("    report[\"purged\"] = mark()\n", ""),
                    (
                        "    report[\"baseline\"] = mark()",
                        "    report[\"baseline\"] = mark()\n    late = b\"x\" * (8 << 20)"
                    ),
                ]
            ),
            (
                ["redirect": "limited", "error bound": "limited", "no retries": "limited"],
                [
                    (
                        "    return urllib.request.urlopen(asked,",
                        "    class Stays(urllib.request.HTTPRedirectHandler):\n        def redirect_request(self, *_):\n"
                            + "            return None\n    return urllib.request.build_opener(Stays).open(asked,"
                    ),
                    ("return 3 * (max(32", "return 2 * (max(32"),
                    (
                        "    with opened(request, url) as answer:\n        body = answer.read()",
                        "    try:\n        body = opened(request, url).read()\n    except OSError:\n"
                            + "        body = opened(request, url).read()\n    if True:\n        pass"
                    ),
                ]
            ),
            (
                ["mode python-read": "failed", "truncated body": "failed"],
                [("len(body), None", "len(body) - 1, None"), ("if length < int(", "if 0 > int(")]
            ),
        ])
        func brokenRulesAreNamed(broken: [String: String], edits: [(String, String)]) async throws {
            let sandbox = try Sandbox("breach")
            let (states, output) = try await states(
                of: program(edits, in: sandbox), "--trials", "1", status: broken.values.contains("failed") ? 1 : 0,
                in: sandbox)
            for (check, state) in broken { #expect(states[check] == state, "\(check): \(output)") }
            let others = states.filter { $0.value == "failed" && broken[$0.key] == nil }
            #expect(others.isEmpty, "\(output)")
        }

        /// Programs that cannot be described, hang, flood or lie: the failed check is named, without consequential failures.
        @Test(arguments: [
            ("sleep 100", "description", "did not describe itself within 2.0 seconds"),
            ("exec yes", "mode raw", "more than 4194304 bytes"),
            ("RAW | sed 's/\"exactness\":\"[a-z]*\"/\"exactness\":\"perfect\"/'", "mode raw", "exactness"),
        ])
        func programsThatCannotBeTriedAreExplained(text: String, check: String, words: String) async throws {
            let sandbox = try Sandbox("untried")
            let describing = check == "description" ? "" : "[ \"$1\" = --describe ] && exec RAW --describe; "
            let raw = "'\(BuiltBinary.neighbour("trial-raw"))'"
            let program = try sandbox.program((describing + text).replacing("RAW", with: raw))
            let (states, output) = try await states(
                of: program, "--trials", "1", "--timeout", "2", status: 1, in: sandbox)
            #expect(states[check] == "failed" && output.contains(words), "\(output)")
            #expect(states["error status"] == nil, "\(output)")
        }
    }
}
