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

        /// Each was answered by a trial program once.
        static let lies = [
            Lie("huge-peak", "phase(0)['peak']['resident_bytes'] = 2**63 - 1", "phases[0].peak.resident_bytes"),
            Lie("huge-bound", "phase(0)['peak']['error_bound_bytes'] = 2**63 - 1", "phases[0].peak.error_bound_bytes"),
            Lie("huge-all", "every('_bytes', 2**63 - 1)", "resident_bytes"),
            Lie("end-before-start", "phase(0)['end_ns'] = phase(0)['start_ns'] - 1", "phases[0].end_ns"),
            Lie("reverse", "report['phases'].reverse()", "phases[0].phase"),
            Lie("least-size", "phase(1)['start_shared_bytes'] = -2**63", "phases[1].start_shared_bytes"),
            Lie(
                "huge-figure", "report['scenario'] = figures(requests_each_reading=1e300)",
                "scenario.figures.requests_each_reading"),
            Lie("unhashed", "del report['body']['sha256']", "body.sha256"),
            Lie("bodiless", "del report['body']", "body"),
            Lie("low-baseline", "memory('baseline')['resident_bytes'] -= 8 << 20", "baseline.memory."),
            Lie("high-baseline", "raised('baseline', 8 << 20)", "resident_bytes"),
            Lie("negative-size", "memory('baseline')['resident_bytes'] = -1", "baseline.memory.resident_bytes"),
            Lie("negative-cpu", "phase(0)['cpu_ns'] = -1", "phases[0].cpu_ns"),
            Lie("negative-time", "memory('baseline')['time_ns'] = -1", "baseline.memory.time_ns"),
            Lie("no-threads", "memory('settled')['threads'] = 0", "settled.memory.threads"),
            Lie("huge-mark", "phase(1)['end']['memory']['resident_bytes'] = 32 << 40", "phases[1].end.memory"),
            Lie("32-tib", "phase(2)['peak']['resident_bytes'] = 32 << 40", "phases[2].peak.resident_bytes"),
            Lie(
                "three-times", "memory('baseline')['anonymous_bytes'] = 3 * memory('baseline')['resident_bytes']",
                "baseline.memory.anonymous_bytes"),
            Lie(
                "no-anonymous", "phase(1)['end']['memory']['anonymous_bytes'] = 0",
                "phases[1].end.memory.anonymous_bytes"),
            Lie(
                "program-above",
                "memory('baseline')['program_bytes'] = memory('baseline')['resident_bytes'] + (4 << 20)",
                "baseline.memory.program_bytes"),
            Lie(
                "program-more", "phase(1)['end']['memory']['program_bytes'] = 24 << 20",
                "phases[1].end.memory.program_bytes"),
            Lie("times-zero", "every('_ns', 0)", "baseline.memory.time_ns"),
            Lie("realtime", "shifted(time.time_ns() - time.monotonic_ns())", "_ns"),
            Lie("a-year", "phase(2)['end_ns'] += 365 * 86400 * 10**9", "phases[2].end"),
            Lie("doubled", "report['phases'].insert(1, phase(0))", "phases[1].phase"),
            Lie("overlapping", "phase(1)['start_ns'] = phase(0)['start_ns']", "phases[1].start_ns"),
            Lie("no-hold", "del report['phases'][1]", "phases[1].phase"),
            Lie("no-release", "del report['phases'][3]", "phases"),
            Lie("no-phases", "report['phases'] = []", "phases"),
            Lie("no-settled", "del report['settled']", "settled"),
            Lie("no-baseline", "del report['baseline']", "baseline"),
            Lie("huge-cpu", "phase(0)['cpu_ns'] = 2**63 - 1", "phases[0].cpu_ns"),
            Lie("perfect", "report['exactness'] = 'perfect'", "exactness"),
            Lie("newer", "report['version'] = 2", "version"),
            Lie("version-0", "report['version'] = 0", "version"),
            Lie("version-9", "report['version'] = 9", "version"),
            Lie("null", "report['purged'] = None", "purged"),
            Lie("command", "report['command'] = {}; del report['body']", "command"),
            Lie("bad-code", "report['failure'] = failure('a\\n::error::x')", "failure.code"),
            Lie("low-peak", "phase(2)['peak']['resident_bytes'] = 4096", "phases[2].peak.resident_bytes"),
            Lie("bom", "written = '\\ufeff' + json.dumps(report)", "at byte 0"),
            Lie("no-utf-8", "written = json.dumps(report)[:-1].encode() + b', \"a\": \"\\xff\"}'", "at byte"),
            Lie("twice", "written = json.dumps(report) * 2", "at byte"),
            Lie("two-versions", "written = json.dumps(report)[:-1] + ', \"version\": 1}'", "version"),
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

        /// Fetches the asset once, and has it from then on.
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
                report, written = trial(request), None

                def phase(index):
                    return report["phases"][index]

                def memory(name):
                    return report[name]["memory"]

                def raised(name, size):
                    memory(name)["resident_bytes"] += size
                    memory(name)["anonymous_bytes"] += size

                def every(suffix, value, part=None):
                    part = report if part is None else part
                    for key, item in part.items() if isinstance(part, dict) else enumerate(part):
                        if isinstance(item, (dict, list)):
                            every(suffix, value, item)
                        elif isinstance(key, str) and key.endswith(suffix):
                            part[key] = value

                def shifted(offset, part=None):
                    part = report if part is None else part
                    for key, item in part.items() if isinstance(part, dict) else enumerate(part):
                        if isinstance(item, (dict, list)):
                            shifted(offset, item)
                        elif key in ("time_ns", "start_ns", "end_ns"):
                            part[key] += offset

                def figures(**values):
                    return {"figures": values, "series": {}, "trace": [], "remarks": []}

                def failure(code):
                    return {"phase": "fetch", "code": code, "detail": "a\\n::error::b", "rejected": False}


            """

        private static let end = """
                written = json.dumps(report) if written is None else written
                sys.stdout.buffer.write(written if isinstance(written, bytes) else written.encode())

            """

        private func write(_ text: String, to name: String, in sandbox: Sandbox) throws -> String {
            let path = try sandbox.write(text, to: name)
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
            return path
        }

        /// One run with a mode for each lie: no trap, nothing completed, and each field named.
        @Test func noLieIsBelieved() async throws {
            let sandbox = try Sandbox("lies")
            let program = try write(try Self.program, to: "liar.py", in: sandbox)
            let plan = [
                "run", "--program", program, "--asset", "4MiB", "--render", "none", "--trials", "1", "--rate",
                "unlimited", "--seed", "7", "--quiet",
            ]
            let honest = try await sandbox.fetchbench(
                plan + ["--mode", "python-read,python-stream,unfetched", "--output", "honest"])
            #expect(honest.status == 0, "\(honest.complaint)")
            let modes = Self.lies.map(\.mode).joined(separator: ",")
            let ended = try await sandbox.fetchbench(plan + ["--mode", modes], within: 250)
            #expect(ended.status == 2, "\(ended.complaint)")
            let trials = try sandbox.onlyRun().trials().filter { $0.case.mode != "none" }
            #expect(trials.count == Self.lies.count)
            for lie in Self.lies {
                var outcome = trials.first { $0.case.mode == lie.mode }?.outcome
                // Some lies show only in samples, and a busy machine may take none.
                for attempt in 1...3 where outcome?.kind != "failed" {
                    let output = "again-\(lie.mode)-\(attempt)"
                    _ = try await sandbox.fetchbench(plan + ["--mode", lie.mode, "--output", output])
                    outcome = try sandbox.onlyRun(in: output).trials().first { $0.case.mode == lie.mode }?.outcome
                }
                #expect(outcome?.kind == "failed", "\(lie.mode): \(outcome?.detail ?? "")")
                #expect(
                    outcome?.detail.contains("invalid: ") == true && outcome?.detail.contains(lie.field) == true,
                    "\(lie.mode): \(outcome?.detail ?? "")")
            }
            let report = try await sandbox.fetchbench("report", try sandbox.onlyRun().folder)
            #expect(report.status == 0, "\(report.complaint)")
        }

        /// A program that is written anew while it is measured is not the one that was asked what it can do.
        @Test func aProgramThatChangesItselfIsFound() async throws {
            let sandbox = try Sandbox("changes")
            let text = try String(contentsOfFile: Self.example, encoding: .utf8)
            let change = "    with open(__file__, 'a') as file:\n        file.write('# once more\\n')\n"
            let answer = "    json.dump(trial(request), sys.stdout)\n"
            let program = try write(text.replacing(answer, with: answer + change), to: "changing.py", in: sandbox)
            let ended = try await sandbox.fetchbench(
                "run", "--program", program, "--asset", "64KiB", "--mode", "python-read", "--render", "none",
                "--trials",
                "2", "--quiet")
            #expect(ended.status == 2, "\(ended.complaint)")
            for trial in try sandbox.onlyRun().trials() {
                #expect(trial.outcome.kind == "failed" && trial.outcome.detail.contains("changing.py"))
            }
        }

        /// Results of a lying program are not resumed.
        @Test func aStoredLieIsNotGoneOnWith() async throws {
            let sandbox = try Sandbox("stored")
            let plan = [
                "run", "--program", Self.example, "--asset", "64KiB", "--mode", "python-read", "--render", "none",
                "--trials", "2", "--quiet",
            ]
            let ended = try await sandbox.fetchbench(plan)
            #expect(ended.status == 0, "\(ended.complaint)")
            let run = try sandbox.onlyRun()
            var lines = run.logLines()
            lines[2] = lines[2].replacing(#/"end_ns":[0-9]+/#, with: "\"end_ns\":5")
            try Data((lines.joined(separator: "\n") + "\n").utf8).write(
                to: URL(fileURLWithPath: run.folder + "/trials.jsonl"))
            let record = try run.text(of: "run.json").replacing(#/\n *"finished_at" : "[^"]*",/#, with: "")
            try Data(record.utf8).write(to: URL(fileURLWithPath: run.folder + "/run.json"))
            for command in [["run", "--resume", run.folder, "--program", Self.example], ["report", run.folder]] {
                let again = try await sandbox.fetchbench(command)
                #expect(again.status == 2, "\(again.output)")
                for words in ["line 3 of trials.jsonl", "end_ns is 5"] { #expect(again.complaint.contains(words)) }
            }
            lines.remove(at: 2)
            try Data((lines.joined(separator: "\n") + "\n").utf8).write(
                to: URL(fileURLWithPath: run.folder + "/trials.jsonl"))
            let resumed = try await sandbox.fetchbench(
                "run", "--resume", run.folder, "--program", Self.example, "--quiet")
            #expect(resumed.status == 0, "\(resumed.complaint)")
            #expect(run.logLines().count == 4)
        }
    }
}
