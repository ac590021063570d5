// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

extension EndToEnd {
    /// `check` against a stored baseline that is right, wrong, old, foreign or edited by hand.
    @Suite struct Baselines {
        @Test func aNamedBaselineThatIsMissingIsNoAnswer() async throws {
            let sandbox = try Sandbox("nobaseline")
            let (ended, _) = try await sandbox.check(SmallSuite(budgets: ["peak <= 1 GiB"]))
            #expect(ended.status == 2)
            for words in ["baseline.json", "--update", "--no-baseline"] { #expect(ended.complaint.contains(words)) }
            #expect(ended.output.isEmpty)
            #expect(sandbox.runFolders().isEmpty, "nothing is measured that cannot be judged")
        }

        @Test func withoutABaselineThatIsNamedTheBudgetsJudge() async throws {
            let sandbox = try Sandbox("unnamed")
            for (limit, status, verdict) in [("64 MiB", 0, "unchanged"), ("4 MiB", 1, "over_budget")] {
                let budget = "\(SmallSuite.cell): max(peak) <= \(limit)"
                try sandbox.write(SmallSuite(budgets: [budget]).text, to: "suite.yml")
                let output = "verdicts-\(status)"
                let ended = try await sandbox.fetchbench(
                    "check", "--suite", "suite.yml", "--output", output, status: Int32(status))
                #expect(
                    ended.unwrapped.contains("warning: results/baseline.json does not exist: only budgets are checked"))
                let judgement = try StoredJudgement(sandbox.onlyRun(in: output).text(of: "judgement.json"))
                #expect(judgement.findings.map(\.verdict) == [verdict])
                #expect(judgement.warnings.contains { $0.text.contains("results/baseline.json") })
            }
        }

        @Test func updateWritesWhatCanBeReviewedAndIsGreenAfterwards() async throws {
            let sandbox = try Sandbox("update")
            let first = try await MeasuredOnce.shared.baseline()
            let (update, _) = try await sandbox.check(SmallSuite(), baseline: first, "--update")
            #expect(update.status == 0)
            #expect(update.output.contains(#/64KiB/hold/none/glibc +net_peak_growth_bytes +8\.\d\d +8\.\d\d /#))
            let second = try sandbox.text(of: "baseline.json")
            #expect(Self.shape(first) == Self.shape(second), "the order of its lines is always the same")
            #expect(second.hasSuffix("}\n"))
            #expect(second.split(separator: "\n").allSatisfy { $0.utf8.count <= 120 })
            let trials = try EditedJSON(second).numbers(
                "cases", SmallSuite.cell, "net_peak_growth_bytes", "trials")
            #expect(trials.count == 4, "all trials are kept")
            #expect(try Self.anchor(second) == Self.anchor(first), "drift is counted from the first baseline")

            for line in 1...2 {
                let (ended, judgement) = try await sandbox.check(SmallSuite(), "--history", "history.jsonl")
                #expect(ended.status == 0, "\(ended.output)")
                #expect(judgement?.answer == "within" && judgement?.kind == "check")
                #expect(judgement?.memory.map(\.verdict) == ["unchanged", "unchanged"])
                #expect(judgement?.memory.allSatisfy { $0.baseTrials == 4 && $0.headTrials == 4 } == true)
                let history = try sandbox.text(of: "history.jsonl")
                #expect(history.hasSuffix("}\n") && history.split(separator: "\n").count == line)
            }
            try sandbox.write(sandbox.text(of: "history.jsonl") + "{\"medians\":\n", to: "history.jsonl")
            let folders = sandbox.runFolders().count
            let (broken, _) = try await sandbox.check(SmallSuite(), "--history", "history.jsonl")
            #expect(broken.status == 2)
            #expect(broken.complaint.contains("history line 3"))
            #expect(sandbox.runFolders().count == folders, "it is said before anything is measured")
        }

        struct Nonsense: CustomTestStringConvertible {
            var testDescription: String
            var words: String
            var edit: @Sendable (String) throws -> String
        }

        static let nonsense = [
            Nonsense(testDescription: "no JSON", words: "JSON") { _ in "<<<<<<< HEAD\n" },
            Nonsense(testDescription: "half of it", words: "JSON") { String($0.prefix(400)) },
            Nonsense(testDescription: "empty", words: "JSON") { _ in "" },
            Nonsense(testDescription: "no schema", words: "schema") {
                try EditedJSON($0).setting("schema", to: nil).text()
            },
            Nonsense(testDescription: "schema 99", words: "schema 99") {
                try EditedJSON($0).setting("schema", to: 99).text()
            },
            Nonsense(testDescription: "cases are a word", words: "cases") {
                try EditedJSON($0).setting("cases", to: "all").text()
            },
            Nonsense(testDescription: "no trials", words: SmallSuite.cell) {
                try EditedJSON($0).setting("cases", SmallSuite.cell, "*", "trials", to: [Double]()).text()
            },
            Nonsense(testDescription: "an anchor that is a word", words: "anchor") {
                try EditedJSON($0).setting("cases", SmallSuite.cell, "*", "anchor", to: "9 MiB").text()
            },
            Nonsense(testDescription: "the schema before", words: "check --update") {
                try EditedJSON($0).setting("schema", to: 1).text()
            },
        ]

        @Test(arguments: nonsense)
        func nonsenseIsRefusedBeforeAnythingIsMeasured(nonsense: Nonsense) async throws {
            let sandbox = try Sandbox("nonsense")
            let baseline = try await nonsense.edit(MeasuredOnce.shared.baseline())
            let (ended, _) = try await sandbox.check(SmallSuite(), baseline: baseline)
            #expect(ended.status == 2)
            #expect(ended.complaint.contains(nonsense.words), "\(ended.complaint)")
            #expect(ended.complaint.contains("baseline"), "\(ended.complaint)")
            #expect(ended.output.isEmpty && sandbox.runFolders().isEmpty)
        }

        private static func shape(_ text: String) -> [String] {
            text.split(separator: "\n").map { line in
                String(line).replacing(/\d{4}-\d\d-\d\dT[0-9:]+Z/, with: "TIME")
                    .replacing(/-?\d+(\.\d+)?(?=,?$)/, with: "N")
            }
        }

        private static func anchor(_ text: String) throws -> [Double] {
            try EditedJSON(text).numbers("cases", SmallSuite.cell, "net_peak_growth_bytes", "anchor")
        }
    }

    @Suite struct BaselineJudgements {
        @Test func anotherArchitectureIsIncomparableUnlessAskedFor() async throws {
            let sandbox = try Sandbox("architecture")
            let foreign = try await EditedJSON(MeasuredOnce.shared.baseline())
                .setting("environment", "architecture", to: "pdp11").text()
            let (ended, judgement) = try await sandbox.check(SmallSuite(), baseline: foreign)
            #expect(ended.status == 2)
            #expect(judgement?.findings.map(\.verdict) == ["incomparable"])
            #expect(judgement?.findings.first?.reason.contains("architecture: pdp11 and ") == true)
            #expect(ended.output.contains("No answer: 1 incomparable"))

            let (tolerated, _) = try await sandbox.check(SmallSuite(), "--tolerate-incomparable")
            #expect(tolerated.status == 0)
            #expect(tolerated.unwrapped.contains("architecture: pdp11"), "the difference is reported even so")
            #expect(tolerated.output.contains("1 incomparable (tolerated)"))
            #expect(!tolerated.output.contains("No answer"), "words and exit status agree")

            let (judged, mismatch) = try await sandbox.check(SmallSuite(), "--allow-mismatch")
            #expect(judged.status == 0, "\(judged.output)")
            #expect(mismatch?.memory.map(\.verdict) == ["unchanged", "unchanged"])
            #expect(mismatch?.warnings.contains { $0.text.contains("--allow-mismatch): architecture: pdp11") } == true)
            #expect(
                judged.unwrapped.contains(
                    "warning: compared despite a mismatch (--allow-mismatch): architecture: pdp11"))
        }

        @Test func loweredBaselineIsRegressedAndConfirmed() async throws {
            let sandbox = try Sandbox("regressed")
            let lowered = try await EditedJSON(MeasuredOnce.shared.baseline())
                .scaling("cases", SmallSuite.cell, "*", "trials", by: 0.8).text()
            let (ended, judgement) = try await sandbox.check(SmallSuite(), baseline: lowered)
            #expect(ended.status == 1)
            #expect(judgement?.answer == "red")
            let finding = try #require(judgement?.findings(on: "net_peak_growth_bytes").first)
            #expect(finding.verdict == "regressed" && finding.case == SmallSuite.cell)
            #expect(finding.confirmed && finding.baseTrials == 4 && finding.headTrials == 30)
            #expect(abs((finding.effect ?? 0) - 0.25) < 0.03, "\(finding.effect ?? 0)")
            let interval = try #require(finding.interval)
            #expect(interval[0] <= finding.effect ?? 0 && interval[1] >= finding.effect ?? 1)
            #expect((finding.p ?? 1) <= 0.005)
            #expect(abs((finding.limit ?? 0) - 1_048_576) < 1, "a stored baseline has wider limits")
            let line = try #require(ended.unwrapped.split(separator: "\n").first { $0.hasPrefix("regressed: ") })
            for words in ["MiB (+", "99 % CI", "limit 1.0 MiB", "p = 0.00", "confirmed on 30 fresh trials"] {
                #expect(line.contains(words), "\(line)")
            }
            #expect(line.contains("; fetch path, phase fetch"), "\(line)")
            #expect(finding.reproduce?.contains(SmallSuite.holding(8)) == true)
            #expect(ended.output.contains("reproduce: fetchbench "))
            #expect(sandbox.runFolders().count { $0.hasSuffix("-confirmation") } == 1)
        }

        @Test func runsResumedElsewhereAreConfirmedThere() async throws {
            let sandbox = try Sandbox("elsewhere")
            let lowered = try await EditedJSON(MeasuredOnce.shared.baseline())
                .scaling("cases", SmallSuite.cell, "*", "trials", by: 0.8).text()
            try sandbox.write(lowered, to: "baseline.json")
            try sandbox.write(SmallSuite(budgets: ["peak <= 1 GiB"]).text, to: "suite.yml")
            try await sandbox.fetchbench(
                "check", "--suite", "suite.yml", "--no-baseline", "--output", "elsewhere", status: 0)
            let run = try sandbox.onlyRun(in: "elsewhere")
            // As if it had been interrupted before it was judged.
            try FileManager.default.removeItem(atPath: run.folder + "/judgement.json")
            try await sandbox.fetchbench(
                "check", "--resume", run.folder + "/", "--baseline", "baseline.json", status: 1)
            #expect(sandbox.runFolders(in: "elsewhere") == [run.folder, run.folder + "-confirmation"])
            #expect(sandbox.runFolders().isEmpty, "the usual results folder must stay empty")
        }
    }
}
