// SPDX-License-Identifier: Apache-2.0

import Judging
import Measuring
import MemProbe
import Runs
import Testing
import TrialKit

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
        let peak = peak(startShared: 200, endShared: 150)
        #expect(peak.lowerBound == nil)
        #expect(peak.upperBound == nil)
    }

    @Test func fileMemoryThatRoseAndFellInBetweenBoundsNothing() {
        let peak = peak(startShared: 100, endShared: 150, samples: [sample(at: 150, resident: 980, shared: 300)])
        #expect(peak.lowerBound == nil)
        #expect(peak.upperBound == nil)
        #expect(peak.sampledMaximum == .kibibytes(680))
    }

    @Test func theMarkAtTheEndCountsAsASample() {
        #expect(peak(startShared: 100, endShared: 150).sampledMaximum == .kibibytes(450))
    }

    @Test func withoutGapsNothingIsHidden() {
        #expect(peak(startShared: 100, endShared: 150).gapBound == nil, "100 ns are no gap")
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

    @Test func copiesHeldIsPeakGrowthOverTheAssetsSize() throws {
        var synthetic = SyntheticTrial()
        synthetic.asset?.byteCount = .mebibytes(10)
        #expect(try synthetic.trial().copiesHeld == 2.5)
    }

    @Test func copiesOfNothingAreNotAvailable() throws {
        var synthetic = SyntheticTrial(cell: .null(on: .glibc), asset: nil)
        #expect(try synthetic.trial().copiesHeld == nil)
        synthetic.asset = Asset(name: "0", location: "/bytes/0", isEmbedded: true, byteCount: .zero)
        #expect(try synthetic.trial().copiesHeld == nil)
    }

    @Test func whatIsRetainedIsReadAfterTheSettlingTime() throws {
        let trial = try SyntheticTrial().trial()
        #expect(trial.retainedResidentGrowth == .kibibytes(900))
        #expect(trial.retainedAnonymousGrowth == .kibibytes(900))
        #expect(Metric.purgedResidentGrowth.value(trial) == 307_200.0)
    }

    @Test func memoryThatShrankIsNegativeAndNotAbsent() throws {
        let trial = try SyntheticTrial(settled: .kibibytes(-40)).trial()
        #expect(trial.retainedResidentGrowth == .kibibytes(-40))
    }

    @Test func withoutABaselineThereIsNoGrowth() throws {
        var trial = try SyntheticTrial().trial()
        trial.report?.baseline = nil
        #expect(trial.peakResidentGrowth == nil)
        #expect(trial.peakAnonymousGrowth == nil)
        #expect(trial.copiesHeld == nil)
        #expect(trial.retainedResidentGrowth == nil)
        #expect(trial.sampledMaximumGrowth == nil)
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
