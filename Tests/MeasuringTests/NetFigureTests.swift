// SPDX-License-Identifier: Apache-2.0

import Judging
import MemProbe
import Runs
import Statistics
import Testing
import TrialKit

/// What is left of peaks without program pages, and what is judged where these are not known.
@Suite struct NetFigureTests {
    @Test func programPagesAreInNoNetFigure() throws {
        var synthetic = SyntheticTrial()
        let trial = try synthetic.trial()
        // 18 MiB shared, 6 anonymous and 25 at the peak, of which 9 are program pages; 7 of the baseline's 24 were.
        #expect(trial.netPeak == .mebibytes(18 + 6 + 25 - 9))
        #expect(trial.netPeakGrowth == .mebibytes(40 - 17))
        #expect(trial.programPages == .mebibytes(9))
        // The same program from another file: 3 MiB more of it are resident, and nothing else is.
        synthetic.baselineShared = .mebibytes(21)
        synthetic.programPages = (.mebibytes(10), .mebibytes(12))
        let copy = try synthetic.trial()
        #expect(copy.peakResidentGrowth == trial.peakResidentGrowth)
        #expect(Metric.peakResident.value(copy) != Metric.peakResident.value(trial))
        #expect(copy.netPeak == trial.netPeak && copy.netPeakGrowth == trial.netPeakGrowth)
    }

    /// Pages that come after the peak make the difference too small; the samples know better.
    @Test func aSampleOfAnonymousMemoryIsALowerBound() throws {
        var synthetic = SyntheticTrial()
        synthetic.programPages = (.mebibytes(7), .mebibytes(15))
        synthetic.baselineShared = .mebibytes(14)
        let trial = try synthetic.trial()
        #expect(trial.netPeak == .mebibytes(6 + 25))
    }

    @Test func hiddenProgramPagesAreSaidAndNeverZero() throws {
        var synthetic = SyntheticTrial()
        synthetic.programPages = nil
        let trial = try synthetic.trial()
        #expect(trial.netPeak == nil && trial.netPeakGrowth == nil && trial.programPages == nil)
        #expect(trial.doubts.contains { $0.contains("program pages could not be read") && $0.contains("growth") })
        #expect(try SyntheticTrial().trial().doubts.isEmpty)
        let budget = try Budget(parsing: "hero/data/none/glibc: peak <= 26 MiB", of: .ofEveryTrial)
        #expect(BudgetJudge.findings(for: [budget], in: try run([trial])).map(\.finding.head) == [Double(25 << 20)])
        let net = try run([SyntheticTrial().trial()])
        #expect(BudgetJudge.findings(for: [budget], in: net).map(\.finding.head) == [Double(23 << 20)])
    }

    @Test func whatMovedIsNamed() throws {
        let base = try run(series())
        let fetching = try findings(of: run(series { $0.peaks[.fetch] = .mebibytes(27) }), against: base)
        #expect(fetching.filter { $0.verdict == .regressed }.map(\.part) == [.fetchPath, .fetchPath])
        #expect(fetching.first { $0.part == .startAndWarmup }?.verdict == .unchanged)
        let starting = try findings(of: run(series { $0.baselineAnonymous = .mebibytes(7) }), against: base)
        #expect(starting.filter { $0.verdict == .regressed }.map(\.metric) == ["baseline_anonymous_bytes"])
        #expect(abs((starting.first { $0.hasMoved }?.change ?? 0) - 1_048_576) < 1)
        #expect(starting.first?.scale == Double(40 << 20 + 4096), "relative to the whole net peak")
        // More of the program is resident, and nothing else has changed.
        let elsewhere = try run(
            series {
                $0.baselineShared = .mebibytes(23)
                $0.programPages = (.mebibytes(12), .mebibytes(14))
            })
        #expect(try findings(of: elsewhere, against: base).allSatisfy { $0.verdict == .unchanged && $0.effect == 0 })
    }

    /// More of the program may come in while the memory is only held: that is not where it peaks.
    @Test func programPagesMoveNoPhase() throws {
        let base = try run(series())
        let head = try run(
            series { $0.peaks = [.fetch: .mebibytes(30), .hold: .mebibytes(30), .render: .mebibytes(12)] }
                .map { trial in
                    var trial = trial
                    let hold = try #require(trial.report?.phases.firstIndex { $0.phase == .hold })
                    trial.report?.phases[hold].peak.resident += .mebibytes(2)
                    trial.report?.phases[hold].end.memory.programPages? += .mebibytes(2)
                    return trial
                })
        let findings = try findings(of: head, against: base).filter { $0.verdict == .regressed }
        #expect(findings.count == 2 && findings.allSatisfy { $0.phase == .fetch })
    }

    /// A difference that the trials do not bear out is no drift, unless it is counted from an older anchor.
    @Test func driftIsCountedFromAnOlderAnchorAlone() throws {
        // Trials of two sizes a MiB apart: five of twelve are the larger ones, and by chance seven.
        let base = try run(series { $0.peaks[.fetch] = .mebibytes($0.number <= 5 ? 26 : 25) })
        let other = try run(series { $0.peaks[.fetch] = .mebibytes($0.number <= 7 ? 26 : 25) })
        #expect(try findings(of: other, against: base).allSatisfy { $0.verdict == .unchanged })
        var baseline = Baseline(of: base, after: nil)
        for metric in baseline.cases["hero/data/none/glibc", default: [:]].keys {
            baseline.cases["hero/data/none/glibc"]?[metric]?.anchor -= 2_000_000
        }
        let drifted = BaselineComparison(
            baseline: baseline, run: base, allowsMismatch: false,
            judge: CaseJudge(rule: .storedBaseline, seed: 1, noise: NoiseFloors())
        ).findings(confirmedBy: nil)
        #expect(drifted.allSatisfy { $0.verdict == .regressed && $0.reason.contains("anchor") })
    }

    @Test func oneSideWithoutProgramPagesIsJudgedByGrowthAndSaysSo() throws {
        let base = try run(series())
        let hidden = try run(series { $0.programPages = nil })
        let comparison = comparison(of: hidden, with: base)
        let metrics = comparison.findings(confirmedBy: nil).filter { $0.verdict == .unchanged }.map(\.metric)
        #expect(metrics == ["peak_resident_growth_bytes", "peak_anonymous_growth_bytes", "baseline_anonymous_bytes"])
        #expect(comparison.warnings.contains { $0.text.contains("lack program pages on one side") })
        #expect(!self.comparison(of: base, with: base).warnings.contains { $0.text.contains("program pages") })
    }

    /// Twelve trials of the one case, each some pages off the others.
    private func series(_ change: (inout SyntheticTrial) -> Void = { _ in }) throws -> [Trial] {
        try (1...12).map { number in
            var synthetic = SyntheticTrial(number: number)
            change(&synthetic)
            synthetic.baselineAnonymous += ByteCount(number % 3 * 4096)
            return try synthetic.trial()
        }
    }

    /// A run of the one case.
    private func run(_ trials: [Trial]) throws -> RunRecord {
        var run = try SyntheticRun.complete()
        run.plan.cases = [Case(asset: "hero", mode: "data", render: "none", allocator: .glibc)]
        run.trials = trials
        return run
    }

    private func comparison(of run: RunRecord, with base: RunRecord) -> BaselineComparison {
        BaselineComparison(
            baseline: Baseline(of: base, after: nil), run: run, allowsMismatch: false,
            judge: CaseJudge(rule: .storedBaseline, seed: 1, noise: NoiseFloors()))
    }

    private func findings(of run: RunRecord, against base: RunRecord) throws -> [Finding] {
        comparison(of: run, with: base).findings(confirmedBy: nil)
    }
}
