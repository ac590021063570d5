// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

extension EndToEnd {
    /// `compare`: two stored runs, two builds, two commands.
    @Suite struct Compare {
        @Test func storedRunsAreComparedAsTheyAre() async throws {
            let sandbox = try Sandbox("stored")
            let base = try await sandbox.place(MeasuredOnce.shared.run(holding: 8), as: "base")
            let head = try await sandbox.place(MeasuredOnce.shared.run(holding: 12), as: "head")
            for (first, second, status, verdict) in [
                (base, base, Int32(0), "unchanged"), (base, head, 1, "regressed"), (head, base, 0, "improved"),
            ] {
                let ended = try await sandbox.fetchbench("compare", first, second, "--format", "json", status: status)
                let findings = try StoredJudgement(ended.output).memory
                #expect(findings.map(\.verdict) == [verdict, verdict], "\(ended.output)")
                // Nothing can be measured again; how to do it is told of what has changed for the worse.
                for finding in findings {
                    #expect(!finding.confirmed && finding.baseTrials == 6 && finding.headTrials == 6)
                    guard status == 1 else { continue }
                    let words = try await sandbox.words(of: try #require(finding.reproduce))
                    #expect(words.prefix(3) == ["run", "--trials", "30"])
                    #expect(words.contains(["--exec", "hold=" + SmallSuite.holding(8)]))
                }
            }
        }

        @Test func commandsThatHoldTheSameAreGreen() async throws {
            let sandbox = try Sandbox("same")
            let command = SmallSuite.holding(8)
            let (ended, judgement) = try await interleaved(sandbox, "--base-exec", command, "--head-exec", command)
            #expect(ended.status == 0, "\(ended.output)")
            #expect(judgement.answer == "within" && judgement.kind == "interleaved")
            #expect(judgement.memory.map(\.verdict) == ["unchanged", "unchanged"])
            #expect(judgement.memory.allSatisfy { $0.baseTrials == 12 && $0.headTrials == 12 && !$0.confirmed })
            let pairs = try pairs(sandbox)
            #expect(pairs.prefix(2).allSatisfy { $0.stage == "warmup" })
            #expect(pairs.count == 26 && pairs.dropFirst(2).allSatisfy { $0.stage == "screening" })
            for start in stride(from: 0, to: pairs.count, by: 2) {
                #expect(Set(pairs[start...(start + 1)].map(\.side)) == ["base", "head"], "pair by pair")
            }
            let seeds = try sandbox.onlyRun().logLines().map {
                try JSONDecoder().decode(Pair.self, from: Data($0.utf8)).seed
            }
            for start in stride(from: 0, to: seeds.count, by: 2) {
                #expect(seeds[start] == seeds[start + 1], "what one draws by chance, the other draws, too")
            }
            #expect(Set(seeds).count == seeds.count / 2)
            #expect(Set(pairs.enumerated().filter { $0.offset % 2 == 0 }.map(\.element.side)).count == 2)
        }

        @Test func commandThatHoldsMoreIsRed() async throws {
            let sandbox = try Sandbox("more")
            let (ended, judgement) = try await interleaved(
                sandbox, "--base-exec", SmallSuite.holding(8), "--head-exec", SmallSuite.holding(9))
            #expect(ended.status == 1)
            try expectRed(judgement, ended, by: 1, phase: "fetch")
            let line = try #require(judgement.findings.first?.reproduce)
            #expect(line.contains("--base-exec '\(SmallSuite.holding(8))' --head-exec '\(SmallSuite.holding(9))'"))
            #expect(ended.output.contains("reproduce: \(line)"))
            #expect(try pairs(sandbox).count { $0.stage == "confirmation" } == 60)
        }

        @Test func commandsThatWriteWrongBytesAreNotCompared() async throws {
            let sandbox = try Sandbox("wrong")
            let (ended, judgement) = try await interleaved(
                sandbox, "--base-exec", "curl -s -o {file} {url}", "--head-exec", "sh -c 'echo less > {file}' {url}")
            #expect(ended.status == 2, "less memory for the wrong bytes is no improvement")
            #expect(judgement.memory.map(\.verdict) == ["missing"])
            #expect(judgement.findings.first?.reason.contains("wrong_body: 5 bytes instead of 65536") == true)
        }

        /// The noise of a busy machine is not what these tests are about, so changes below 450 KiB do not count.
        static let suite = """
            name: pairs
            assets: [64KiB]
            modes: [raw]
            renders: [none]
            rate: unlimited
            noise:
              "64KiB/raw/none/glibc":
                net_peak_growth_bytes: 150KiB
                peak_anonymous_growth_bytes: 150KiB
                baseline_anonymous_bytes: 150KiB
            """

        /// The same bytes in another file, whose pages lie elsewhere in the page cache: neither side is called changed.
        @Test func aBuildAndItsCopyAreTheSame() async throws {
            let sandbox = try Sandbox("copy")
            let copy = try BuiltBinary.copied(to: sandbox.path + "/copy")
            try sandbox.write(Self.suite, to: "suite.yml")
            let (ended, judgement) = try await interleaved(
                sandbox, "--suite", "suite.yml", "--base", copy, "--head", BuiltBinary.path)
            #expect(ended.status == 0, "\(ended.output)")
            #expect(judgement.memory.map(\.verdict) == ["unchanged", "unchanged", "unchanged"])
        }

        private struct Pairing: Decodable {
            var side: String
            var stage: String
        }

        private struct Pair: Decodable {
            var pairing: Pairing
            var seed: UInt64
        }

        /// Compares, and reads the verdict that was stored.
        private func interleaved(_ sandbox: Sandbox, _ arguments: String...) async throws -> (
            ended: Ended, judgement: StoredJudgement
        ) {
            var plan = ["--asset", "64KiB", "--render", "none", "--rate", "unlimited"]
            if arguments.contains("--suite") { plan = [] }
            let ended = try await sandbox.fetchbench(["compare"] + plan + arguments, within: 200)
            return (ended, try StoredJudgement(sandbox.onlyRun().text(of: "judgement.json")))
        }

        private func pairs(_ sandbox: Sandbox) throws -> [Pairing] {
            try sandbox.onlyRun().logLines().map {
                try JSONDecoder().decode(Pair.self, from: Data($0.utf8)).pairing
            }
        }

        /// Expects a red line with everything that a reader needs, about so many MiB.
        private func expectRed(
            _ judgement: StoredJudgement, _ ended: Ended, by mebibytes: Double, phase: String
        ) throws {
            #expect(judgement.answer == "red")
            let start = judgement.memory.filter { $0.part == "start_and_warm_up" }
            #expect(start.allSatisfy { $0.verdict == "unchanged" }, "what was planted is held from the fetch on")
            let path = judgement.memory.filter { $0.part == "fetch_path" }
            #expect(path.map(\.metric) == ["net_peak_growth_bytes", "peak_anonymous_growth_bytes"])
            for finding in path {
                #expect(finding.verdict == "regressed" && finding.confirmed && finding.phase == phase)
                #expect(finding.baseTrials == 30 && finding.headTrials == 30)
                let scale = try #require(finding.scale)
                let growth = (try #require(finding.change)) / 1_048_576
                #expect(abs(growth - mebibytes) < 0.3, "\(finding.metric): \(growth) MiB")
                #expect(abs((finding.effect ?? 0) * scale / 1_048_576 - growth) < 1e-6)
                let interval = try #require(finding.interval)
                #expect(interval[0] > 0 && interval[0] * scale / 1_048_576 <= mebibytes + 0.3)
                #expect((finding.p ?? 1) <= 0.005 && (finding.limit ?? 0) > 0)
            }
            let lines = ended.unwrapped.split(separator: "\n").filter { $0.hasPrefix("regressed: ") }
            #expect(lines.count == 2)
            for line in lines {
                let figures =
                    #/ \+\d\.\d+ MiB \(\+\d+\.\d % of the net peak, 99 % CI \+[0-9. …+]+\), limit \d\.\d+ MiB, /#
                #expect(line.contains(figures), "\(line)")
                for words in ["p < 0.00001", "confirmed on 30 fresh pairs", "fetch path, phase \(phase)"] {
                    #expect(line.contains(words), "\(words): \(line)")
                }
            }
        }
    }
}
