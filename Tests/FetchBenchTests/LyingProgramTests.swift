// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

extension Conduct {
    /// Trial programs that lie: the example in Python, whose report is changed before it is written.
    @Suite struct LyingPrograms {
        /// A lie: the mode that tells it, what it does to the report in Python, and the field that is named.
        struct Lie: Sendable {
            let mode: String
            let code: String
            let field: String

            init(_ mode: String, _ code: String, _ field: String) {
                self.mode = mode
                self.code = code
                self.field = field
            }
        }

        /// One that the report itself shows, one that the samples show, one that the origin shows, and one of the process.
        static let lies = [
            Lie(
                "huge-peak", "report['phases'][0]['peak']['resident_bytes'] = 2**63 - 1",
                "phases[0].peak.resident_bytes"),
            Lie("low-baseline", "report['baseline']['memory']['resident_bytes'] -= 8 << 20", "baseline.memory."),
            Lie("unfetched", "pass", "body.bytes"), Lie("child", "pass", "resident_bytes"),
        ]

        private static let example = BuiltBinary.package + "/Examples/protocol-in-python/trial_program.py"

        /// The example with a mode for each lie, which fetches as `python-read` does.
        private static var program: String {
            get throws {
                let modes = lies.map { "    mode('\($0.mode)', 'a lie', \(fetch(of: $0)), yields_body=True)," }
                let code = lies.map { "    if request['mode'] == '\($0.mode)':\n        \($0.code)" }
                let (list, answer) = (
                    "MODES = {name: (fetch, declaration) for name, fetch, declaration in [\n",
                    "    json.dump(trial(request), sys.stdout)\n"
                )
                let text = try String(contentsOfFile: example, encoding: .utf8)
                guard text.contains(list), text.contains(answer) else { throw Obstacle("the example is another one") }
                return text.replacing(list, with: fetches + list + modes.joined(separator: "\n") + "\n")
                    .replacing(answer, with: beginning + code.joined(separator: "\n") + "\n" + end)
            }
        }

        private static func fetch(of lie: Lie) -> String {
            lie.mode == "unfetched" ? "fetch_from_memory" : "fetch_whole"
        }

        private static let fetches = """
            def fetch_from_memory(request, url, destination):
                kept = sys.path[0] + "/kept"
                if url == request["url"] and os.path.exists(kept):
                    with open(kept, "rb") as file:
                        body = file.read()
                    return body, len(body), None
                answer = fetch_whole(request, url, destination)
                if url == request["url"]:
                    with open(kept, "wb") as file:
                        file.write(answer[0])
                return answer

            """

        private static let beginning = """
                if request["mode"] == "child" and os.fork():
                    os.wait()
                    os._exit(0)
                report = trial(request)

            """

        private static let end = """
                json.dump(report, sys.stdout)

            """

        /// One run with a mode for each lie: no trap, nothing completed, and each field named.
        @Test func noLieIsBelieved() async throws {
            let sandbox = try Sandbox("lies")
            let program = try sandbox.write(program: try Self.program, to: "liar.py")
            func outcomes(_ modes: [String], _ output: String) async throws -> [String: StoredTrial.Outcome] {
                try await sandbox.fetchbench(
                    "run", "--program", program, "--asset", "4MiB", "--render", "none", "--trials", "1", "--rate",
                    "unlimited", "--seed", "7", "--quiet", "--mode", modes.joined(separator: ","), "--output", output,
                    within: 250)
                let trials = try sandbox.onlyRun(in: output).trials().filter { $0.case.mode != "none" }
                return Dictionary(uniqueKeysWithValues: trials.map { ($0.case.mode, $0.outcome) })
            }
            let honest = try await outcomes(["python-read", "python-stream", "unfetched"], "honest")
            #expect(honest.count == 3 && honest.values.allSatisfy { $0.kind == "completed" }, "\(honest)")
            let told = try await outcomes(Self.lies.map(\.mode), "lies")
            for lie in Self.lies {
                var outcome = told[lie.mode]
                // Some lies show only in samples, and a busy machine may take none.
                for attempt in 1...3 where outcome?.kind != "failed" {
                    outcome = try await outcomes([lie.mode], "again-\(lie.mode)-\(attempt)")[lie.mode]
                }
                #expect(outcome?.kind == "failed", "\(lie.mode): \(outcome?.detail ?? "")")
                #expect(
                    outcome?.detail.contains("invalid: ") == true && outcome?.detail.contains(lie.field) == true,
                    "\(lie.mode): \(outcome?.detail ?? "")")
            }
        }
    }
}
