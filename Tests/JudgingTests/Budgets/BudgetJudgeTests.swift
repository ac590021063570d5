// SPDX-License-Identifier: Apache-2.0

import Judging
import Runs
import Testing

struct BudgetJudgeTests {
    @Test(arguments: [
        // A bare metric is every trial.
        Expected("peak <= 6 MB", .exceeded, 9_000_000, 6_000_000, worst: 2),
        Expected("peak <= 9 MB", .within, 9_000_000, 9_000_000, worst: 2),
        Expected("peak < 9 MB", .exceeded, 9_000_000, 9_000_000, worst: 2),
        Expected("9 MB >= peak", .within, 9_000_000, 9_000_000, worst: 2),
        Expected("8 MB > peak", .exceeded, 9_000_000, 8_000_000, worst: 2),
        Expected("peak >= 3 MB", .within, 3_000_000, 3_000_000, worst: 3),
        Expected("peak > 3 MB", .exceeded, 3_000_000, 3_000_000, worst: 3),
        Expected("4 MB <= peak", .exceeded, 3_000_000, 4_000_000, worst: 3),
        Expected("k <= 0.9", .within, 0.9, 0.9, worst: 2),
        Expected("k <= 0.1", .exceeded, 0.9, 0.1, worst: 2),
        // Functions are all trials at once.
        Expected("median(peak) <= 4 MB", .within, 4_000_000, 4_000_000, worst: nil),
        Expected("median(peak) < 4 MB", .exceeded, 4_000_000, 4_000_000, worst: nil),
        Expected("max(peak) <= size / 4", .exceeded, 9_000_000, 2_500_000, worst: 2),
        Expected("min(peak) <= 3 MB", .within, 3_000_000, 3_000_000, worst: 3),
        Expected("max(peak) - min(peak) <= 6 MB", .within, 6_000_000, 6_000_000, worst: nil),
        // Both together: each trial against a figure of all.
        Expected("peak <= 2 * median(peak)", .exceeded, 9_000_000, 8_000_000, worst: 2),
        Expected("2 * median(peak) - 1 MB <= peak", .exceeded, 7_000_000, 3_000_000, worst: 3),
        Expected("peak <= max(peak)", .within, 9_000_000, 9_000_000, worst: 2),
    ])
    func budgetsAreJudgedAsWritten(expected: Expected) throws {
        let finding = try BudgetRun.finding(
            expected.text, in: BudgetRun.record(peaks: [4_000_000, 9_000_000, 3_000_000]))
        #expect(finding.outcome == expected.outcome)
        #expect(finding.measured == expected.measured)
        #expect(finding.limit == expected.limit)
        #expect(finding.worstTrial == expected.worst)
        #expect(finding.trials == 3)
        #expect(finding.cell == BudgetRun.download)
    }

    @Test func onlyCompletedTrialsCount() throws {
        var crashed = BudgetTrial(number: 2, peak: 90_000_000)
        crashed.outcome = Outcome(.crashed, "signal 11")
        let run = try BudgetRun.record([BudgetTrial(number: 1), crashed])
        let finding = try BudgetRun.finding("peak <= 4 MiB", in: run)
        #expect(finding.outcome == .unanswerable("1 of 2 trials did not complete"))
        #expect(finding.trials == 1)
        #expect(try BudgetRun.finding("peak <= 1 MiB", in: run).outcome == .exceeded)
        crashed.number = 1
        let hopeless = try BudgetRun.record([crashed])
        #expect(
            try BudgetRun.finding("peak <= 4 MiB", in: hopeless).outcome
                == .unanswerable("no trial of the case completed"))
        let untried = try BudgetRun.record([], cases: [BudgetRun.data])
        #expect(
            try BudgetRun.finding("peak <= 4 MiB", in: untried).outcome
                == .unanswerable("no trial of the case completed"))
    }

    /// A trial without the figure hides nothing: a limit that another one breaks is broken, one that holds is unproven.
    @Test func aTrialWithoutTheFigureIsNoPass() throws {
        let silent = BudgetTrial(number: 2, peak: nil)
        let run = try BudgetRun.record([BudgetTrial(number: 1), silent, BudgetTrial(number: 3, peak: 5_000_000)])
        #expect(try BudgetRun.finding("peak <= 9 MiB", in: run).outcome == .unanswerable("trial 2 has no peak"))
        let broken = try BudgetRun.finding("peak <= 1 MiB", in: run)
        #expect(broken.outcome == .exceeded)
        #expect(broken.worstTrial == 3)
        for function in ["max", "min", "median"] {
            #expect(
                try BudgetRun.finding("\(function)(peak) <= 9 MiB", in: run).outcome
                    == .unanswerable("trial 2 has no peak"))
        }
    }

    @Test func everyCaseIsJudgedInTheOrderOfBudgetsAndPlan() throws {
        let run = try BudgetRun.record([
            BudgetTrial(number: 1, cell: BudgetRun.data, peak: 20_000_000), BudgetTrial(number: 2),
            BudgetTrial(number: 3, cell: BudgetRun.cell("download", allocator: .jemalloc), peak: 6_000_000),
        ])
        let texts = ["peak <= size", "*/glibc: peak <= 1 MiB", "hero/data/*: k <= 2", "*/raw/*: k <= 1"]
        let findings = BudgetJudge.findings(for: try texts.map { try Budget(parsing: $0) }, in: run)
        #expect(
            findings.map { "\($0.cell?.identifier ?? "–") \($0.budget.text)" } == [
                "hero/data/none/glibc peak <= size", "hero/download/none/glibc peak <= size",
                "hero/download/none/jemalloc peak <= size", "hero/data/none/glibc */glibc: peak <= 1 MiB",
                "hero/download/none/glibc */glibc: peak <= 1 MiB", "hero/data/none/glibc hero/data/*: k <= 2",
                "– */raw/*: k <= 1",
            ])
        #expect(findings.map(\.outcome).prefix(6) == [.exceeded, .within, .within, .exceeded, .exceeded, .within])
    }

    @Test func aBudgetThatMatchesNothingSaysSo() throws {
        var run = try BudgetRun.record(peaks: [1])
        let nothing = try BudgetRun.finding("big/*: peak <= 1 GiB", in: run)
        #expect(
            nothing.outcome
                == .unanswerable(
                    "no case of the run matches 'big/*' (expected asset/mode/render/allocator[/conditions]; * "
                        + "matches any text)"
                ))
        #expect(nothing.cell == nil && nothing.trials == 0)
        run.plan.inapplicable = [InapplicableCase(cell: BudgetRun.cell("raw"), reason: "mode raw cannot do https")]
        #expect(
            try BudgetRun.finding("*/raw/*: peak <= 1 GiB", in: run).outcome
                == .unanswerable(
                    "it matches only cases that cannot be measured (hero/raw/none/glibc: mode raw cannot do https)"))
        let empty = try BudgetRun.record([])
        #expect(
            try BudgetRun.finding("peak <= 1 GiB", in: empty).outcome
                == .unanswerable("the run has no case that fetches"))
    }

    @Test func theNullCaseHasABudgetOfItsOwn() throws {
        let null = BudgetTrial(cell: .null(on: .glibc), peak: 90_000, size: nil)
        let run = try BudgetRun.record([null], cases: [])
        #expect(try BudgetRun.finding("none/*: peak <= 64 KiB", in: run).outcome == .exceeded)
        #expect(
            try BudgetRun.finding("none/*: peak <= size", in: run).outcome
                == .unanswerable("the size of its asset is unknown"))
    }

    @Test func aCommandHasABudgetByItsName() throws {
        let sort = Case.plain("sort", on: .glibc)
        let trials = [(1, 4_000_000), (2, 9_000_000)].map { BudgetTrial(number: $0, cell: sort, peak: $1, size: nil) }
        let run = try BudgetRun.record(trials + [BudgetTrial(number: 3, peak: 90_000_000)])
        let within = try BudgetRun.finding("sort: max(growth) <= 9 MiB", in: run)
        #expect(within.outcome == .within && within.cell == sort && within.measured == 9_000_000)
        #expect(try BudgetRun.finding("sort: max(growth) <= 8 MiB", in: run).outcome == .exceeded)
        #expect(
            try BudgetRun.finding("sort: growth <= size", in: run).outcome
                == .unanswerable("the size of its asset is unknown"))
    }

    /// A trial of a foreign asset knows its size where the plan does not.
    @Test func theSizeIsThatOfTheTrial() throws {
        var run = try BudgetRun.record(peaks: [4_000_000])
        run.plan.assets[0].byteCount = nil
        #expect(try BudgetRun.finding("peak <= size / 2", in: run).limit == 5_000_000)
        #expect(try BudgetRun.finding("max(peak) <= size / 2", in: run).limit == 5_000_000)
        var trial = BudgetTrial()
        trial.size = nil
        #expect(try BudgetRun.finding("peak <= size / 2", in: BudgetRun.record([trial])).limit == 5_000_000)
    }

    @Test func otherMetricsAreRead() throws {
        var trial = BudgetTrial()
        trial.retained = 2_000_000
        trial.pageCache = 9_500_000
        let run = try BudgetRun.record([trial])
        #expect(try BudgetRun.finding("retained <= 1 MiB", in: run).measured == 2_000_000)
        #expect(try BudgetRun.finding("page_cache >= 0.9 * size", in: run).outcome == .within)
        #expect(try BudgetRun.finding("fetch_cpu / fetch_duration <= 0.2", in: run).measured == 0.25)
    }

    struct Expected: Sendable, CustomTestStringConvertible {
        let text: String
        let outcome: BudgetFinding.Outcome
        let measured: Double
        let limit: Double
        let worst: Int?

        /// Sizes in round millions, which budgets do not know, are easier to compare by eye.
        init(_ text: String, _ outcome: BudgetFinding.Outcome, _ measured: Double, _ limit: Double, worst: Int?) {
            self.text = text.replacing(" MB", with: "000000 B")
            self.outcome = outcome
            self.measured = measured
            self.limit = limit
            self.worst = worst
        }

        var testDescription: String { text }
    }
}
