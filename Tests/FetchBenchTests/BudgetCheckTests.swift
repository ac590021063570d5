// SPDX-License-Identifier: Apache-2.0

import Testing

extension EndToEnd {
    /// `check` with budgets alone: they hold on every machine and need no baseline.
    @Suite struct BudgetChecks {
        @Test func withinBudgetsIsGreen() async throws {
            let sandbox = try Sandbox("within")
            let budgets = [
                "peak <= 64 * size + 8 MiB", "\(SmallSuite.cell): max(peak) >= 8 MiB", "median(peak) < 20 MiB",
            ]
            let (ended, judgement) = try await sandbox.check(SmallSuite(budgets: budgets), "--no-baseline")
            #expect(ended.status == 0, "\(ended.output)")
            #expect(ended.output.contains("Within limits"))
            #expect(judgement?.answer == "within")
            #expect(judgement?.findings.map(\.budget) == budgets)
            for finding in judgement?.findings ?? [] {
                #expect(finding.verdict == "unchanged" && finding.case == SmallSuite.cell)
                #expect(finding.headTrials == 4)
                #expect((8.0...20).contains((finding.head ?? 0) / 1_048_576), "\(finding.head ?? 0)")
            }
        }

        @Test func exceededBudgetIsRedAndNamesWhatWasMeasured() async throws {
            let sandbox = try Sandbox("exceeded")
            let budget = "64KiB/hold/*: peak <= 16 * size + 4 MiB"
            let suite = SmallSuite(budgets: ["peak <= 20 MiB", budget])
            let (ended, judgement) = try await sandbox.check(suite, "--no-baseline")
            #expect(ended.status == 1)
            #expect(ended.output.contains("Red: 1 over budget, 1 within budget"))
            let finding = try #require(judgement?.findings.first { $0.verdict == "over_budget" })
            #expect(judgement?.answer == "red")
            #expect(finding.budget == budget && finding.case == SmallSuite.cell)
            #expect(finding.limit == 5_242_880.0)
            let measured = try #require(finding.head)
            #expect(measured > 8 * 1_048_576)
            let line = try #require(ended.unwrapped.split(separator: "\n").first { $0.hasPrefix("over budget: ") })
            #expect(line.contains("hold · 64KiB · none · glibc"))
            #expect(line.contains("limit 5.0 MiB") && line.contains("16 * size + 4 MiB"))
            let figure = try #require(line.firstMatch(of: /peak ([0-9.]+) MiB/)?.1)
            #expect(abs((Double(figure) ?? 0) - measured / 1_048_576) <= 0.051)
            #expect(line.contains(/trial \d+ is the worst of 4/))
        }

        @Test func redWinsOverWhatHasNoAnswer() async throws {
            let sandbox = try Sandbox("mixed")
            let suite = SmallSuite(
                budgets: [
                    "64KiB/hold/*: peak <= size / (size - 64 KiB) * 1 MiB", "hero/*: peak <= 1 GiB",
                    "*/broken/*: peak <= 1 GiB", "retained <= 1 MiB", "64KiB/hold/*: peak <= 1 MiB",
                ], commands: ["broken=false {url}"])
            let (ended, judgement) = try await sandbox.check(suite, "--no-baseline")
            #expect(ended.status == 1)
            #expect(judgement?.answer == "red")
            #expect(judgement?.findings.count { $0.verdict == "over_budget" } == 1)
        }

        /// Budgets that nobody can judge, and why.
        static let unanswerable = [
            ("64KiB/hold/*: peak <= size / (size - 64 KiB) * 1 MiB", "division by zero at column 28"),
            ("hero/*: peak <= 1 GiB", "no case of the run matches 'hero/*'"),
            ("*/broken/*: peak <= 1 GiB", "no trial of the case completed"),
            ("64KiB/hold/*: retained <= 1 MiB", "has no retained"),
        ]

        @Test func whatCannotBeJudgedIsNoPass() async throws {
            let sandbox = try Sandbox("unanswerable")
            let suite = SmallSuite(
                budgets: Self.unanswerable.map(\.0) + ["64KiB/hold/*: peak <= 1 GiB"], commands: ["broken=false {url}"])
            let (ended, judgement) = try await sandbox.check(suite, "--no-baseline")
            #expect(ended.status == 2)
            #expect(ended.output.contains("No answer: 4 missing, 1 within budget"))
            #expect(judgement?.answer == "none")
            for (budget, words) in Self.unanswerable {
                let finding = try #require(judgement?.findings.first { $0.budget == budget })
                #expect(finding.verdict == "missing")
                #expect(finding.reason.contains(words), "\(finding.reason)")
                #expect(ended.unwrapped.contains(words))
            }
        }

        @Test(arguments: [
            ("peek <= 4 MiB", "column 1: unknown metric 'peek'. Did you mean 'peak'?"),
            ("peak <= 1.2 * sise", "column 15: unknown metric 'sise'. Did you mean 'size'?"),
            ("peak <= 4 MB", "column 11: unit 'MB' is ambiguous"),
            ("peak <= ", "column 9: expected"),
            ("k <= 4 MiB", "cannot be compared"),
            (": peak <= 4 MiB", "column 1: expected a scope"),
        ])
        func mistakeInABudgetIsShownWithItsColumn(budget: String, words: String) async throws {
            let sandbox = try Sandbox("mistake")
            let (ended, judgement) = try await sandbox.check(SmallSuite(budgets: [budget]), "--no-baseline")
            #expect(ended.status == 64)
            #expect(ended.complaint.contains(words), "\(ended.complaint)")
            #expect(ended.output.isEmpty && judgement == nil)
            #expect(sandbox.runFolders().isEmpty)
        }

        @Test func nothingToJudgeIsWrongUsage() async throws {
            let sandbox = try Sandbox("nothing")
            let (ended, _) = try await sandbox.check(SmallSuite(), "--no-baseline")
            #expect(ended.status == 64)
            #expect(ended.complaint.contains("no budgets") && ended.complaint.contains("--no-baseline"))
            let (both, _) = try await sandbox.check(SmallSuite(), "--no-baseline", "--update")
            #expect(both.status == 64)
            #expect(sandbox.runFolders().isEmpty)
        }
    }
}
