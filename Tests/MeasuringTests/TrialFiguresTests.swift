// SPDX-License-Identifier: Apache-2.0

import Foundation
import Judging
import Measuring
import Runs
import Testing

struct AnonymousPeakTests {
    /// A phase of 100 ns in which shared memory goes from `startShared` to `endShared` KiB and the peak is 1000 KiB.
    private func peak(startShared: Int, endShared: Int, samples: [Sample] = []) -> AnonymousPeak {
        let end = Snapshot(
            timeNanoseconds: 200, resident: .kibibytes(600), anonymous: .kibibytes(600 - endShared), threads: 1,
            cpuNanoseconds: 0)
        let reading = PhaseReading(
            phase: .fetch, startNanoseconds: 100, endNanoseconds: 200, cpuNanoseconds: 0,
            startShared: .kibibytes(startShared),
            peak: PeakReading(resident: .kibibytes(1000), source: .highWaterMark, errorBound: .zero),
            end: Mark(memory: end, allocator: nil))
        return AnonymousPeak(reading, samples: samples)
    }

    private func sample(at time: Int, resident: Int, shared: Int) -> Sample {
        Sample(timeNanoseconds: time, resident: .kibibytes(resident), shared: .kibibytes(shared))
    }

    @Test func fileMemoryThatOnlyGrewBoundsTheAnonymousPeakOnBothSides() {
        let peak = peak(startShared: 100, endShared: 150, samples: [sample(at: 150, resident: 980, shared: 120)])
        #expect(peak.sampledMaximum == .kibibytes(860))
        #expect(peak.lowerBound == .kibibytes(850))
        #expect(peak.upperBound == .kibibytes(900))
    }

    @Test func fileMemoryThatFellBoundsNothing() {
        let peak = peak(startShared: 100, endShared: 150, samples: [sample(at: 150, resident: 980, shared: 300)])
        #expect(peak.lowerBound == nil)
        #expect(peak.upperBound == nil)
        #expect(peak.sampledMaximum == .kibibytes(680))
        let fallen = self.peak(startShared: 200, endShared: 150)
        #expect(fallen.lowerBound == nil && fallen.upperBound == nil)
    }

    @Test func theMarkAtTheEndCountsAsASample() {
        let peak = peak(startShared: 100, endShared: 150)
        #expect(peak.sampledMaximum == .kibibytes(450))
        #expect(peak.gapBound == nil, "100 ns are no gap")
    }

    @Test func samplesOfOtherPhasesDoNotCount() {
        let outside = [sample(at: 99, resident: 990, shared: 10), sample(at: 201, resident: 990, shared: 10)]
        #expect(peak(startShared: 100, endShared: 150, samples: outside).sampledMaximum == .kibibytes(450))
        let edges = [sample(at: 100, resident: 700, shared: 100), sample(at: 200, resident: 800, shared: 150)]
        #expect(peak(startShared: 100, endShared: 150, samples: edges).sampledMaximum == .kibibytes(650))
    }
}

struct TrialFiguresTests {
    @Test func growthCountsFromTheEndOfTheWarmup() throws {
        let trial = try SyntheticTrial().trial()
        #expect(trial.baseline?.resident == .mebibytes(24))
        #expect(trial.peakResidentGrowth(in: .fetch) == .mebibytes(25))
        #expect(trial.peakResidentGrowth(in: .hold) == .mebibytes(12))
        #expect(trial.peakAnonymousGrowth(in: .fetch) == .mebibytes(25))
        #expect(trial.sampledMaximumGrowth == .mebibytes(25))
    }

    @Test func thePeakIsTheHighestOfFetchHoldAndRender() throws {
        var synthetic = SyntheticTrial()
        synthetic.peaks[.render] = .mebibytes(104)
        synthetic.peaks[.release] = .mebibytes(500)
        let trial = try synthetic.trial()
        #expect(trial.peakResidentGrowth == .mebibytes(104))
        #expect(trial.peakAnonymousGrowth == .mebibytes(104))
    }

    @Test func copiesHeldIsTheGrowthBeforeRenderingOverTheAssetsSize() throws {
        var synthetic = SyntheticTrial()
        synthetic.asset?.byteCount = .mebibytes(10)
        #expect(try synthetic.trial().copiesHeld == 2.5)
        synthetic.peaks[.render] = .mebibytes(104)
        #expect(try synthetic.trial().copiesHeld == 2.5)
        // Whichever is more, the answer or the request's body: no number of copies comes of an answer of 8 bytes.
        var upload = try synthetic.trial()
        (upload.sentByteCount, upload.assetByteCount) = (.mebibytes(5), ByteCount(8))
        #expect(upload.copiesHeld == 5)
        upload.assetByteCount = .mebibytes(10)
        #expect(upload.copiesHeld == 2.5)
        synthetic.asset?.byteCount = ByteCount(8191)
        #expect(try synthetic.trial().copiesHeld == nil, "less than two pages")
        synthetic.asset = Asset(name: "0", location: "/bytes/0", isEmbedded: true, byteCount: .zero)
        #expect(try synthetic.trial().copiesHeld == nil)
        #expect(try SyntheticTrial(cell: .null(on: .glibc), asset: nil).trial().copiesHeld == nil)
    }

    @Test func retainedMemoryIsReadAfterSettling() throws {
        let trial = try SyntheticTrial().trial()
        #expect(trial.retainedResidentGrowth == .kibibytes(900))
        #expect(trial.retainedAnonymousGrowth == .kibibytes(900))
        #expect(Metric.purgedResidentGrowth.value(trial) == 307_200.0)
        // Memory that shrank is negative and not absent.
        #expect(try SyntheticTrial(settled: .kibibytes(-40)).trial().retainedResidentGrowth == .kibibytes(-40))
    }

    @Test func withoutABaselineThereIsNoGrowth() throws {
        var trial = try SyntheticTrial().trial()
        trial.report?.baseline = nil
        #expect(trial.peakResidentGrowth == nil && trial.peakAnonymousGrowth == nil && trial.copiesHeld == nil)
        #expect(trial.retainedResidentGrowth == nil && trial.sampledMaximumGrowth == nil)
    }

    @Test func thePeaksSourceIsTheLeastExactOfItsPhases() throws {
        var trial = try SyntheticTrial().trial()
        #expect(trial.peakSource == .highWaterMark)
        trial.report?.phases[2].peak.source = .exactReadings
        #expect(trial.peakSource == .exactReadings)
        trial.report?.phases = []
        #expect(trial.peakSource == nil)
    }
}

struct TrialDoubtsTests {
    @Test func aSoundTrialLeavesNoDoubt() throws {
        #expect(TrialDoubts.all(of: try SyntheticTrial().trial()).isEmpty)
    }

    @Test func processesThatWereLeftAreNamed() throws {
        let others = #"{"count":2,"names":["b","a","a"],"resident":3670016}"#
        let left = try JSONDecoder().decode(Survivors.self, from: Data(others.utf8))
        #expect(TrialDoubts.left(left).contains("2 processes (a, b; about 4 MiB resident)"))
    }

    @Test func aSampleAboveThePeakAndItsBoundIsDoubtful() throws {
        var trial = try SyntheticTrial().trial()
        trial.sampledMaximum = .mebibytes(24 + 25) + .kibibytes(744)
        #expect(TrialDoubts.all(of: trial).isEmpty)
        trial.sampledMaximum = .mebibytes(24 + 25) + .kibibytes(745)
        #expect(
            TrialDoubts.all(of: trial) == [
                "a sample of \((49 * 1024 + 745) * 1024) bytes lies above the peak of \(49 << 20) and its bound"
            ])
    }

    @Test func anAllocatorThatCountsMoreThanIsResidentIsDoubtful() throws {
        var trial = try SyntheticTrial().trial()
        trial.report?.phases[0].end.allocator?.active = .mebibytes(100)
        let doubts = TrialDoubts.all(of: trial)
        #expect(doubts.count == 1)
        #expect(doubts.first?.hasPrefix("the allocator counts \(100 << 20) active bytes at the end of fetch") == true)
    }

    @Test func aPeakThatIsNotTheKernelsOwnIsDoubtful() throws {
        var trial = try SyntheticTrial().trial()
        trial.report?.phases[1].peak.source = .highWaterMarkWithoutReset
        #expect(
            TrialDoubts.all(of: trial) == [
                "the peak comes from kernel_high_water_mark_without_reset, "
                    + "because the kernel's high-water mark could not be reset"
            ])
    }

    /// A trial that may have held this much more than its highest reading, 31 MiB, in a gap of its fetch.
    private func trial(hiding hidden: ByteCount) throws -> Trial {
        var trial = try SyntheticTrial().trial()
        let index = try #require(trial.anonymousPeaks.firstIndex { $0.phase == .fetch })
        #expect(trial.anonymousPeaks[index].proven == .mebibytes(31))
        trial.samplesDegraded = true
        trial.anonymousPeaks[index].gapBound = .mebibytes(31) + hidden
        return trial
    }

    @Test func lateSamplesAreDoubtfulWhereTheyHideMuch() throws {
        #expect(TrialDoubts.all(of: try trial(hiding: .kibibytes(317))).isEmpty, "1 % of 31 MiB are 317.4 KiB")
        #expect(
            TrialDoubts.all(of: try trial(hiding: .kibibytes(5 << 10))) == [
                "samples were late or lost: the anonymous peak may be up to 5.0 MiB higher"
            ])
        #expect(try trial(hiding: .kibibytes(318)).anonymousPeakUncertainty == .kibibytes(318))
        #expect(TrialDoubts.all(of: try trial(hiding: .kibibytes(318))).count == 1)
    }

    @Test func lateSamplesOfManyTrialsAreOneWarningWithTheLargestFigure() throws {
        var trials: [Trial] = []
        for (number, hidden) in [(1, 3), (2, 0), (3, 7)] {
            var trial = try trial(hiding: .mebibytes(hidden))
            trial.number = number
            trial.doubts = TrialDoubts.all(of: trial)
            trials.append(trial)
        }
        let run = SyntheticRun.record(Plan.synthetic())
        let warnings = run.completed(from: trials, finishedAt: nil).warnings.map(\.text)
        #expect(
            warnings.filter { $0.contains("late or lost") } == [
                "2 trials, the first trial 1 (hero/data/none/glibc): samples were late or lost: "
                    + "the anonymous peak may be up to 7.0 MiB higher"
            ])
    }

    @Test(arguments: [
        (256, 0, false), (257, 0, true), (256, 25_600, false), (257, 25_600, true), (257, 25_700, false),
        (1000, 100_000, false), (1001, 100_000, true),
    ])
    func aPeakIsLooseBeyondAHundredthAnd256KiB(uncertainty: Int, peak: Int, isLoose: Bool) {
        #expect(TrialDoubts.isLoose(.kibibytes(uncertainty), for: .kibibytes(peak)) == isLoose)
    }

    @Test func lateSamplesThatHideNothingAreNoDoubt() throws {
        let below = try trial(hiding: .mebibytes(-10))
        #expect(below.anonymousPeakUncertainty == .zero)
        #expect(TrialDoubts.all(of: below).isEmpty)
        #expect(try SyntheticTrial().trial().anonymousPeakUncertainty == nil, "no sample was late")
    }

    @Test func aGapOfALowPhaseHidesNothingOfAHighOne() throws {
        var trial = try SyntheticTrial().trial()
        let index = try #require(trial.anonymousPeaks.firstIndex { $0.phase == .hold })
        trial.anonymousPeaks[index].gapBound = .mebibytes(20)
        #expect(trial.anonymousPeakUncertainty == .zero, "the fetch is known to have held 31 MiB")
    }

    @Test func aTrialThatDidNotCompleteIsNotDoubtedToo() throws {
        var trial = try trial(hiding: .mebibytes(5))
        trial.outcome = Outcome(.failed, "fetch: http_status: status 500")
        #expect(TrialDoubts.all(of: trial).isEmpty)
    }
}

/// Peaks without program pages, and judgements if those are unknown.
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

    @Test func movedFiguresAreNamed() throws {
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
        let memory = drifted.filter { $0.unit == .bytes }
        #expect(memory.count == 3 && memory.allSatisfy { $0.verdict == .regressed && $0.reason.contains("anchor") })
    }

    @Test func oneSideWithoutProgramPagesIsJudgedByGrowthAndSaysSo() throws {
        let base = try run(series())
        let hidden = try run(series { $0.programPages = nil })
        let comparison = comparison(of: hidden, with: base)
        let metrics = comparison.findings(confirmedBy: nil).filter { $0.verdict == .unchanged }.map(\.metric)
        #expect(
            metrics == [
                "peak_resident_growth_bytes", "peak_anonymous_growth_bytes", "baseline_anonymous_bytes", "fetch_cpu_ns",
            ])
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
