// SPDX-License-Identifier: Apache-2.0

import Judging
import MemProbe
import Runs
import Testing

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
        guard case .unanswerable(let reason) = finding.outcome else {
            Issue.record("\(finding.outcome)")
            return
        }
        #expect(reason.hasPrefix("the slope is undecided: its interval goes from "))
    }
}
