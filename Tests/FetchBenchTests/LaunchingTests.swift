// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Synchronization
import Testing

/// Trial programs that are loud, that leave others behind, or that hang.
enum OddProgram {
    /// The example in Python, with words in front of what its mode `python-read` does in the measured fetch.
    static func path(doing words: String, in sandbox: Sandbox, named name: String) throws -> String {
        let example = BuiltBinary.package + "/Examples/protocol-in-python/trial_program.py"
        let text = try String(contentsOfFile: example, encoding: .utf8)
        let anchor = "    with opened(request, url) as answer:\n        body = answer.read()\n"
        try #require(text.contains(anchor))
        let path = try sandbox.write(
            text.replacing(anchor, with: "    if url == request['url']:\n        \(words)\n" + anchor), to: name)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
        return path
    }

    /// A run of it.
    static func run(_ program: String, trials: Int = 1, to output: String = "results") -> [String] {
        [
            "run", "--program", program, "--mode", "python-read", "--asset", "4KiB", "--render", "none", "--rate",
            "unlimited", "--trials", "\(trials)", "--output", output,
        ]
    }
}

extension EndToEnd {
    /// What it costs the harness that a program complains without end.
    @Suite struct LoudPrograms {
        /// The harness's own CPU time in seconds, and its peak in MiB.
        private func cost(_ program: String, _ output: String, in sandbox: Sandbox) async throws -> (Double, Double) {
            let harness = try sandbox.start(OddProgram.run(program, trials: 4, to: output))
            let seen = Mutex((cpu: 0.0, peak: 0.0))
            await harness.watch(every: 0.005) {
                let stat = (try? String(contentsOfFile: "/proc/\(harness.identifier)/stat", encoding: .utf8)) ?? ""
                let status = (try? String(contentsOfFile: "/proc/\(harness.identifier)/status", encoding: .utf8)) ?? ""
                let words = stat.split(separator: ")").last?.split(separator: " ") ?? []
                let peak = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }?.split(separator: " ")
                seen.withLock { seen in
                    if words.count > 12, let user = Double(words[11]), let system = Double(words[12]) {
                        seen.cpu = max(seen.cpu, (user + system) / Double(sysconf(Int32(_SC_CLK_TCK))))
                    }
                    if let peak, peak.count > 2, let size = Double(peak[1]) { seen.peak = max(seen.peak, size / 1024) }
                }
            }
            let ended = try await harness.end(within: 60)
            #expect(ended.status == 0, "\(ended.complaint)")
            #expect(
                try sandbox.onlyRun(in: output).rows(ofMode: "python-read").map { $0["outcome"] }
                    == Array(repeating: "completed", count: 4))
            return seen.withLock { ($0.cpu, $0.peak) }
        }

        @Test func standardErrorOf64MiBCostsNothing() async throws {
            let sandbox = try Sandbox("loud")
            let quiet = try OddProgram.path(doing: "pass", in: sandbox, named: "quiet.py")
            let loud = try OddProgram.path(
                doing: "for _ in range(1024): sys.stderr.write('x' * 65535 + '\\n')", in: sandbox, named: "loud.py")
            let (calm, floor) = try await cost(quiet, "quiet", in: sandbox)
            let (busy, peak) = try await cost(loud, "loud", in: sandbox)
            #expect((busy - calm) / 4 <= 0.2, "seconds of CPU a trial: \(busy) against \(calm) in four")
            #expect(peak - floor <= 2, "the peak in MiB: \(peak) against \(floor)")
        }
    }
}

extension Conduct {
    /// What becomes of a trial's processes, and of what they say.
    @Suite struct Launching {
        @Test func whatATrialLeavesBehindIsKilledAndTold() async throws {
            let sandbox = try Sandbox("left")
            let program = try OddProgram.path(
                doing: "__import__('subprocess').Popen(['sleep', '4321'], start_new_session=True)", in: sandbox,
                named: "leaving.py")
            let ended = try await sandbox.fetchbench(OddProgram.run(program))
            #expect(ended.status == 0, "\(ended.complaint)")
            let run = try sandbox.onlyRun()
            #expect(try run.rows(ofMode: "python-read").map { $0["outcome"] } == ["completed"])
            #expect(try run.record().warnings.contains { $0.text.contains("sleep") && $0.text.contains("killed") })
            #expect(
                try await sandbox.tool("pgrep", "-f", "^sleep 4321$").status == 1, "it stands beside the next trials")
        }

        @Test func aByteThatIsNoTextHidesNothing() async throws {
            let sandbox = try Sandbox("bytes")
            let program = try OddProgram.path(
                doing: "sys.stderr.buffer.write(b'caf\\xe9 is closed\\n'); sys.stderr.flush(); os._exit(3)",
                in: sandbox,
                named: "bytes.py")
            #expect(try await sandbox.fetchbench(OddProgram.run(program)).status == 2)
            let outcome = try sandbox.onlyRun().trials().filter { $0.outcome.kind == "crashed" }.map(\.outcome.detail)
            #expect(outcome == ["exit status 3: caf\u{FFFD} is closed"])
        }

        @Test func whatHangsSaysHowMuchItHeld() async throws {
            let sandbox = try Sandbox("hanging")
            let program = try OddProgram.path(
                doing: "kept = bytes([1]) * (64 << 20); time.sleep(100)", in: sandbox, named: "hanging.py")
            #expect(try await sandbox.fetchbench(OddProgram.run(program) + ["--timeout", "3"]).status == 2)
            let trial = try sandbox.onlyRun().trials().first { $0.outcome.kind == "timed_out" }
            let detail = try #require(trial).outcome.detail
            let held = try #require(detail.firstMatch(of: /([0-9]+) MiB/).flatMap { Int($0.1) }, "\(detail)")
            #expect((64...200).contains(held), "\(detail)")
        }

        /// A few instants of what Benchmarks/kill-harness.py does with hundreds.
        @Test(arguments: ["run", "exec", "limit"]) func aKilledHarnessLeavesNothing(kind: String) async throws {
            let sandbox = try Sandbox("kill")
            let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
            let ended = try await sandbox.start(
                BuiltBinary.systemPython(),
                [
                    BuiltBinary.package + "/Benchmarks/kill-harness.py", BuiltBinary.path, "--rounds", "3", "--only",
                    kind,
                    "--tests", tests,
                ]
            ).end(within: 200)
            #expect(ended.status == 0, "\(ended.output)\(ended.complaint)")
        }
    }
}
