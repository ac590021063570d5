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

struct BudgetFindingTests {
    @Test(arguments: [
        (
            "peak <= 0.3 * size + 1 MiB",
            "peak 8.6 MiB > limit 3.9 MiB (0.3 * size + 1 MiB; trial 2 is the worst of 3)"
        ),
        (
            "peak <= 1.2 * size + 4 MiB",
            "peak 8.6 MiB <= limit 15.4 MiB (1.2 * size + 4 MiB; trial 2 is the worst of 3)"
        ),
        ("peak <= 4 MiB", "peak 8.6 MiB > limit 4.0 MiB (trial 2 is the worst of 3)"),
        ("4 MiB >= peak", "peak 8.6 MiB > limit 4.0 MiB (trial 2 is the worst of 3)"),
        ("peak >= 4 MiB", "peak 2.9 MiB < limit 4.0 MiB (trial 3 is the worst of 3)"),
        ("peak < 8999999 B", "peak 9000000 B >= limit 8999999 B (trial 2 is the worst of 3)"),
        ("peak < 8999999.9 B", "peak 9000000.0 B >= limit 8999999.9 B (trial 2 is the worst of 3)"),
        ("median(peak) <= 1 MiB", "median(peak) 3.8 MiB > limit 1.0 MiB (3 trials)"),
        ("max(peak) <= size / 4", "max(peak) 8.6 MiB > limit 2.4 MiB (size / 4; trial 2 is the worst of 3)"),
        ("median(peak) <= 1 KiB", "median(peak) 4000000 B > limit 1024 B (3 trials)"),
        ("k <= 0.1", "k 0.90 > limit 0.10 (trial 2 is the worst of 3)"),
        ("k <= 0.8999", "k 0.9000 > limit 0.8999 (trial 2 is the worst of 3)"),
        ("k < 0.9", "k 0.90 >= limit 0.90 (trial 2 is the worst of 3)"),
        (
            "fetch_cpu <= 0.1*fetch_duration",
            "fetch_cpu 50.0 ms > limit 20.0 ms (0.1*fetch_duration; trial 1 is the worst of 3)"
        ),
        ("peak <= size / 0", "peak <= size / 0 cannot be judged: division by zero at column 14"),
        (
            "slope < 1",
            "slope < 1 cannot be judged: slope needs a sweep of at least 3 sizes, which this case is not part of"
        ),
    ])
    func aFindingIsOneLine(text: String, line: String) throws {
        let run = try BudgetRun.record(peaks: [4_000_000, 9_000_000, 3_000_000])
        #expect(try BudgetRun.finding(text, in: run).text == "hero/download/none/glibc: " + line)
    }

    @Test func aSingleTrialIsNotTheWorstOfOne() throws {
        let finding = try BudgetRun.finding("peak <= size", in: BudgetRun.record(peaks: [4_000_000]))
        #expect(finding.text == "hero/download/none/glibc: peak 3.8 MiB <= limit 9.5 MiB (size; 1 trial)")
    }

    @Test func aScopeFromOutsideCannotReachTheTerminal() throws {
        let finding = try BudgetRun.finding("\u{1B}[2J/*: peak <= 1 MiB", in: BudgetRun.record(peaks: [1]))
        #expect(
            finding.text.hasPrefix("\\u{1b}[2J/*: peak <= 1 MiB cannot be judged: no case of the run matches '\\u{1b}"))
        #expect(finding.description == finding.text)
        #expect(!finding.finding.reason.unicodeScalars.contains("\u{1B}"))
    }

    @Test func aFindingStandsBesideThoseOfAComparison() throws {
        let run = try BudgetRun.record(peaks: [4_000_000, 9_000_000, 3_000_000])
        let red = try BudgetRun.finding("max(peak) <= 4 MiB", in: run).finding
        #expect(red.cell == "hero/download/none/glibc")
        #expect(red.metric == "net_peak_growth_bytes")
        #expect(red.unit == .bytes)
        #expect(red.verdict == .overBudget)
        #expect(red.head == 9_000_000)
        #expect(red.limit == 4_194_304)
        #expect(red.headTrials == 3)
        #expect(red.budget == "max(peak) <= 4 MiB")
        #expect(red.reason.hasPrefix("hero/download/none/glibc: max(peak) 8.6 MiB > limit 4.0 MiB"))
        let green = try BudgetRun.finding("k <= 1", in: run).finding
        #expect(green.verdict == .unchanged)
        #expect(green.reason.isEmpty)
        let open = try BudgetRun.finding("retained <= 1 MiB", in: run).finding
        #expect(open.verdict == .missing)
        #expect(open.reason == "trial 1 has no retained")
        #expect(open.head == nil && open.limit == nil)
        #expect(try BudgetRun.finding("big/*: k <= 1", in: run).finding.cell == "big/*")
        #expect(try BudgetRun.finding("k <= 1", in: BudgetRun.record([])).finding.cell == "every case")
    }
}

struct BudgetSlopeTests {
    /// A run of three sizes, in which one mode holds two copies and the other none.
    private func sweep(trials count: Int = 1) throws -> RunRecord {
        var trials: [BudgetTrial] = []
        for (index, size) in (0..<count).flatMap({ _ in [1_000_000, 4_000_000, 16_000_000].enumerated() }) {
            for (mode, copies) in [("data", 2), ("download", 0)] {
                trials.append(
                    BudgetTrial(
                        number: trials.count + 1, cell: BudgetRun.cell(mode, asset: "size\(index)"),
                        peak: copies * size + 100_000, size: size))
            }
        }
        return try BudgetRun.record(trials)
    }

    @Test(arguments: [
        ("*/data/*: slope <= 2.1", BudgetFinding.Outcome.within), ("*/data/*: slope <= 1.9", .exceeded),
        ("*/data/*: max(slope) <= 1.9", .exceeded), ("*/download/*: slope < 0.05", .within),
        ("*/download/*: slope >= 0.05", .exceeded), ("*/data/*: slope * 2 <= 4.1", .within),
    ])
    func theSlopeOfASweepIsJudgedOnceAtItsLargestSize(text: String, outcome: BudgetFinding.Outcome) throws {
        let finding = try BudgetRun.finding(text, in: try sweep())
        #expect(finding.outcome == outcome)
        #expect(finding.cell?.asset == "size2")
    }

    @Test func aScopeThatLeavesOutTheLargestSizeStillMeansTheSweep() throws {
        let finding = try BudgetRun.finding("size1/data/*: slope <= 2.1", in: try sweep())
        #expect(finding.outcome == .within)
        #expect(finding.cell?.asset == "size1")
        #expect(finding.measured == 2)
    }

    @Test func everySweepHasAFindingOfItsOwn() throws {
        let findings = BudgetJudge.findings(for: [try Budget(parsing: "slope <= 0.05")], in: try sweep())
        #expect(findings.map { $0.cell?.mode } == ["data", "download"])
        #expect(findings.map(\.outcome) == [.exceeded, .within])
    }

    @Test func aSlopeThatGoesWithAFigureOfEachTrialIsJudgedAtEverySize() throws {
        let budget = try Budget(parsing: "*/data/*: peak <= slope * size + 100000 B")
        let findings = BudgetJudge.findings(for: [budget], in: try sweep())
        #expect(findings.map { $0.cell?.asset } == ["size0", "size1", "size2"])
        #expect(findings.allSatisfy { $0.outcome == .within })
        let tight = try Budget(parsing: "*/data/*: peak <= slope * size + 99999 B")
        #expect(BudgetJudge.findings(for: [tight], in: try sweep()).allSatisfy { $0.outcome == .exceeded })
    }

    @Test func aTrialOfAnySizeThatFailedLeavesTheSlopeUnproved() throws {
        var run = try sweep(trials: 2)
        let index = try #require(run.trials.firstIndex { $0.cell.asset == "size0" && $0.cell.mode == "data" })
        run.trials[index].outcome = Outcome(.crashed, "signal 9 (Killed)")
        #expect(
            try BudgetRun.finding("*/data/*: slope <= 2.1", in: run).outcome
                == .unanswerable("1 trials of the sweep did not complete"))
        #expect(try BudgetRun.finding("*/data/*: slope <= 1.9", in: run).outcome == .exceeded)
    }

    @Test func aSlopeThatIsUndecidedIsNoAnswer() throws {
        var trials: [BudgetTrial] = []
        for (index, size) in [1_000_000, 4_000_000, 16_000_000].enumerated() {
            for peak in [0, 3 * size] {
                trials.append(
                    BudgetTrial(
                        number: trials.count + 1, cell: BudgetRun.cell("data", asset: "size\(index)"), peak: peak,
                        size: size))
            }
        }
        let finding = try BudgetRun.finding("slope < 5", in: try BudgetRun.record(trials))
        let reason = if case .unanswerable(let reason) = finding.outcome { reason } else { "\(finding.outcome)" }
        #expect(reason.hasPrefix("the slope is undecided: its interval goes from "))
    }
}
