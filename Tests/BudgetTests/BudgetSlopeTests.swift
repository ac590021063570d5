// SPDX-License-Identifier: Apache-2.0

import FetchBenchKit
import MemProbe
import Testing

struct BudgetSlopeTests {
    /// A run of three sizes, in which one mode holds two copies and the other none.
    private func sweep() throws -> RunRecord {
        var trials: [BudgetTrial] = []
        for (index, size) in [1_000_000, 4_000_000, 16_000_000].enumerated() {
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

    @Test func aSlopeGoesWithAFigureOfEachTrial() throws {
        let finding = try BudgetRun.finding("*/data/*: peak <= slope * size + 100000 B", in: try sweep())
        #expect(finding.outcome == .within)
    }
}
