// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Synchronization
import Testing

extension EndToEnd {
    /// The harness's own memory does not affect figures and does not grow.
    @Suite struct Harness {
        @Test func aHarnessOf300MiBMovesNothing() async throws {
            let sandbox = try Sandbox("ballast")
            let arguments = ["run", "--asset", "4KiB", "--mode", "none", "--render", "none", "--trials", "5"]
            #expect(try await sandbox.fetchbench(arguments + ["--output", "light"]).status == 0)
            let heavy = try sandbox.start(arguments + ["--output", "heavy", "--ballast", "300MiB"])
            let seen = Mutex(0)
            await heavy.watch(every: 0.01) {
                let resident = ProcessTable.residentBytes(of: heavy.identifier) ?? 0
                seen.withLock { $0 = max($0, resident) }
            }
            let largest = seen.withLock { $0 }
            #expect(try await heavy.end(within: 20).status == 0)
            #expect(largest > 300 << 20, "it has to hold them: \(largest)")
            // Without program pages: what the page cache holds is neither the harness's nor the trial's doing.
            for (column, program) in [
                ("baseline_resident_bytes", "baseline_program_bytes"), ("baseline_anonymous_bytes", nil),
            ] {
                let medians = try ["light", "heavy"].map { output in
                    let values = try sandbox.onlyRun(in: output).rows(ofMode: "none").map { row in
                        try row.mebibytes(column) - (program.map { try row.mebibytes($0) } ?? 0)
                    }
                    return values.sorted()[values.count / 2]
                }
                #expect(abs(medians[0] - medians[1]) < 0.5, "\(column): \(medians)")
            }
        }

        private struct Look {
            var trials: Int
            var resident: Int
            var descriptors: Int
        }

        @Test func staysFlatOverManyTrialsAndLeavesNothing() async throws {
            let sandbox = try Sandbox("flat")
            let harness = try sandbox.start([
                "run", "--asset", "64KiB", "--mode", "raw", "--render", "none", "--trials", "60", "--rate", "unlimited",
            ])
            let seen = Mutex<[Look]>([])
            await harness.watch(every: 0.01) {
                let run = sandbox.runFolders().first.flatMap { try? StoredRun($0) }
                guard let resident = ProcessTable.residentBytes(of: harness.identifier),
                    let descriptors = ProcessTable.descriptorCount(of: harness.identifier)
                else { return }
                let look = Look(trials: run?.logLines().count ?? 0, resident: resident, descriptors: descriptors)
                seen.withLock { $0.append(look) }
            }
            let looks = seen.withLock { $0 }
            #expect(try await harness.end(within: 20).status == 0)
            #expect(try sandbox.onlyRun().trials().count == 120)
            // The last look is left out: the tables are written from all trials when the last one has ended.
            let first = looks.filter { (20..<54).contains($0.trials) }
            let last = looks.filter { (86..<120).contains($0.trials) }
            #expect(first.count > 4 && last.count > 4)
            #expect(abs(Self.median(first.map(\.resident)) - Self.median(last.map(\.resident))) <= 2 << 20)
            // While a trial is spawned its pipes are open on both sides; what stays between two trials is the minimum,
            // as far as the looks on a busy machine meet it. One descriptor left by each trial would be 66.
            #expect((last.map(\.descriptors).min() ?? .max) <= (first.map(\.descriptors).min() ?? 0) + 8)
            #expect(try await ProcessTable.remaining(in: sandbox) == [])
            #expect(try FileManager.default.contentsOfDirectory(atPath: sandbox.temporary).isEmpty)
        }

        private static func median(_ values: [Int]) -> Int {
            values.isEmpty ? 0 : values.sorted()[values.count / 2]
        }
    }
}

/// Trial programs that are loud, that leave others behind, or that hang.
enum OddProgram {
    /// The example in Python, with words in front of what its mode `python-read` does in the measured fetch.
    static func path(doing words: String, in sandbox: Sandbox, named name: String) throws -> String {
        let example = BuiltBinary.package + "/Examples/protocol-in-python/trial_program.py"
        let text = try String(contentsOfFile: example, encoding: .utf8)
        let anchor = "    with opened(request, url) as answer:\n        body = answer.read()\n"
        try #require(text.contains(anchor))
        let edited = text.replacing(anchor, with: "    if url == request['url']:\n        \(words)\n" + anchor)
        return try sandbox.write(program: edited, to: name)
    }

    static func run(_ program: String, trials: Int = 1, to output: String = "results") -> [String] {
        [
            "run", "--program", program, "--mode", "python-read", "--asset", "4KiB", "--render", "none", "--rate",
            "unlimited", "--trials", "\(trials)", "--output", output,
        ]
    }
}

extension EndToEnd {
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
    @Suite struct Launching {
        @Test func hangingTrialsReportTheirMemory() async throws {
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
                    kind, "--tests", tests,
                ]
            ).end(within: 200)
            #expect(ended.status == 0, "\(ended.output)\(ended.complaint)")
        }
    }
}

extension EndToEnd {
    /// Users without a home of their own: `nobody`, a container without `/etc/passwd`.
    @Suite struct Homes {
        private static let plan = [
            "run", "--asset", "64KiB", "--mode", "raw", "--render", "none", "--rate", "unlimited", "--trials", "1",
        ]

        private static func cache(in sandbox: Sandbox) -> String {
            "\(sandbox.temporary)/fetchbench-cache-\(geteuid())"
        }

        @Test func aHomeThatIsOfNoUseEndsNothing() async throws {
            let sandbox = try Sandbox("homeless")
            let world = ["HOME": "/nonexistent", "XDG_CACHE_HOME": ""]
            for _ in 1...2 {
                let ended = try await sandbox.fetchbench(Self.plan, status: 0, environment: world)
                #expect(ended.complaint.components(separatedBy: "HOME").count == 2, "it is said once")
                #expect(ended.complaint.contains(Self.cache(in: sandbox)))
            }
            let attributes = try FileManager.default.attributesOfItem(atPath: Self.cache(in: sandbox))
            #expect(attributes[.posixPermissions] as? Int == 0o700)
            #expect(try FileManager.default.contentsOfDirectory(atPath: sandbox.temporary).count == 1)
        }

        @Test func aCacheThatAnybodyMayHaveMadeIsNotTrusted() async throws {
            let sandbox = try Sandbox("trap")
            let cache = Self.cache(in: sandbox)
            try FileManager.default.createDirectory(atPath: cache, withIntermediateDirectories: false)
            #expect(chmod(cache, 0o777) == 0)
            let ended = try await sandbox.fetchbench(
                Self.plan, status: 2, environment: ["HOME": "/nonexistent", "XDG_CACHE_HOME": ""])
            #expect(ended.complaint.contains(cache) && ended.complaint.contains("XDG_CACHE_HOME"))
            #expect(ended.output.isEmpty && sandbox.runFolders().isEmpty)
            #expect(try FileManager.default.contentsOfDirectory(atPath: cache).isEmpty)
        }
    }
}
