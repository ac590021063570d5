// SPDX-License-Identifier: Apache-2.0

import Judging
import MemProbe
import Runs
import Statistics
import Testing
import TrialKit

/// From where drift is counted: from what was accepted last, whichever way it went.
@Suite struct BaselineAnchorTests {
    private static let cell = Case(asset: "hero", mode: "data", render: "none", allocator: .glibc)
    private static let metric = Metric.netPeakGrowth.name

    @Test func anAcceptedStepIsNoDriftAfterwards() throws {
        let accepted = Baseline(of: try run(36), after: Baseline(of: try run(25), after: nil))
        #expect(try accepted.anchor == Baseline(of: run(36), after: nil).anchor)
        #expect(try verdicts(of: run(36), against: accepted) == [.unchanged, .unchanged, .unchanged])
    }

    @Test func anAcceptedImprovementMovesTheAnchorDown() throws {
        let accepted = Baseline(of: try run(25), after: Baseline(of: try run(36), after: nil))
        #expect(try accepted.anchor == Baseline(of: run(25), after: nil).anchor)
        // From there it grows back in steps too small to count.
        let once = Baseline(of: try run(25.6), after: accepted)
        let twice = Baseline(of: try run(26.2), after: once)
        #expect(once.anchor == accepted.anchor && twice.anchor == accepted.anchor)
        #expect(try verdicts(of: run(26.2), against: twice).contains(.regressed))
    }

    @Test func whatFellInSmallStepsIsAcceptedToo() throws {
        let first = Baseline(of: try run(27), after: nil)
        let once = Baseline(of: try run(26.4), after: first)
        #expect(once.anchor == first.anchor)
        let twice = Baseline(of: try run(25.8), after: once)
        #expect(try twice.anchor == Baseline(of: run(25.8), after: nil).anchor)
    }

    @Test func smallStepsUpwardsAddUpUntilTheyAreAccepted() throws {
        var baseline = Baseline(of: try run(25), after: nil)
        let anchor = baseline.anchor
        for size in [25.5, 26, 26.5] { baseline = Baseline(of: try run(size), after: baseline) }
        #expect(baseline.anchor == anchor)
        #expect(try verdicts(of: run(26.5), against: baseline).contains(.regressed))
        let accepted = try Baseline(of: run(26.5), after: nil)
        #expect(try verdicts(of: run(26.5), against: accepted).allSatisfy { $0 == .unchanged })
    }

    @Test func aFigureThatIsNewBeginsAtItself() throws {
        var older = Baseline(of: try run(25), after: nil)
        older.cases[Self.cell.identifier]?[Self.metric] = nil
        #expect(try Baseline(of: run(25.5), after: older).anchor == Baseline(of: run(25.5), after: nil).anchor)
        let other = try #require(older.cases[Self.cell.identifier]?["peak_anonymous_growth_bytes"]).anchor
        let kept = Baseline(of: try run(25.5), after: older).cases[Self.cell.identifier]?["peak_anonymous_growth_bytes"]
        #expect(kept?.anchor == other)
    }

    private func verdicts(of run: RunRecord, against baseline: Baseline) -> [Finding.Verdict] {
        BaselineComparison(baseline: baseline, run: run, allowsMismatch: false, judge: .ofStoredBaseline(run))
            .findingsWithoutSuspects.map(\.verdict)
    }

    /// A run of twelve trials that peak at so many MiB, some pages off each other.
    private func run(_ mebibytes: Double) throws -> RunRecord {
        var run = try SyntheticRun.complete()
        run.plan.cases = [Self.cell]
        run.trials = try (1...12).map { number in
            var synthetic = SyntheticTrial(number: number)
            synthetic.peaks[.fetch] = ByteCount(Int(mebibytes * 1_048_576) + number % 3 * 4096)
            return try synthetic.trial()
        }
        return run
    }
}

extension Baseline {
    /// The anchor of the one case's net growth.
    fileprivate var anchor: Double? { cases["hero/data/none/glibc"]?[Metric.netPeakGrowth.name]?.anchor }
}
