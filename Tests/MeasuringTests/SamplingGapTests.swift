// SPDX-License-Identifier: Apache-2.0

import Measuring
import MemProbe
import Runs
import Testing
import TrialKit

/// Times are in milliseconds here, sizes in KiB.
struct SamplingGapTests {
    /// A phase from `start` to `end` in which file-backed memory goes from 100 to 150 KiB and the peak is 1000 KiB.
    private func reading(from start: Int, to end: Int) -> PhaseReading {
        PhaseReading(
            phase: .fetch, startNanoseconds: start * 1_000_000, endNanoseconds: end * 1_000_000, cpuNanoseconds: 0,
            startShared: .kibibytes(100),
            peak: PeakReading(resident: .kibibytes(1000), source: .highWaterMark, errorBound: .zero),
            end: Mark(
                memory: Snapshot(
                    timeNanoseconds: end * 1_000_000, resident: .kibibytes(600), anonymous: .kibibytes(450), threads: 1,
                    cpuNanoseconds: 0), allocator: nil))
    }

    private func samples(_ times: some Sequence<Int>, shared: (Int) -> Int = { _ in 120 }) -> [Sample] {
        times.map {
            Sample(timeNanoseconds: $0 * 1_000_000, resident: .kibibytes(700), shared: .kibibytes(shared($0)))
        }
    }

    private func gaps(_ reading: PhaseReading, _ samples: [Sample]) -> [SamplingGap] {
        SamplingGap.gaps(in: reading, samples: samples)
    }

    @Test func upToFiveIntervalsAreNoGap() {
        #expect(gaps(reading(from: 0, to: 20), samples(stride(from: 0, through: 20, by: 5))).isEmpty)
        #expect(gaps(reading(from: 0, to: 20), samples([0, 5, 11, 15])).map(\.start) == [5_000_000])
    }

    @Test func aGapKnowsItsReadings() {
        let found = gaps(reading(from: 0, to: 20), samples([0, 4, 12, 16]) { $0 < 10 ? 110 : 140 })
        #expect(found == [SamplingGap(start: 4_000_000, end: 12_000_000, shared: .kibibytes(110))])
    }

    @Test func theMarksOfThePhaseAreReadings() {
        let late = gaps(reading(from: 0, to: 20), samples([8, 12, 16]))
        #expect(late == [SamplingGap(start: 0, end: 8_000_000, shared: .kibibytes(100))])
        let lost = gaps(reading(from: 0, to: 20), samples([0, 4, 8]))
        #expect(lost == [SamplingGap(start: 8_000_000, end: 20_000_000, shared: .kibibytes(120))])
        let none = gaps(reading(from: 0, to: 20), [])
        #expect(none == [SamplingGap(start: 0, end: 20_000_000, shared: .kibibytes(100))])
        #expect(gaps(reading(from: 0, to: 5), []).isEmpty, "a short phase needs no sample")
    }

    @Test func whatHappensBetweenPhasesIsNoGap() {
        #expect(gaps(reading(from: 100, to: 104), samples([0, 99, 200])).isEmpty)
    }

    @Test func theSlowScheduleHasLongerGaps() {
        // The first sample came 0.3 ms late, so that 10 s after it the sampler has been slow for 0.3 ms already.
        let times = [300_000] + (1...9999).map { $0 * 1_000_000 } + (0...10).map { 10_000_000_000 + $0 * 10_000_000 }
        let samples = times.map { Sample(timeNanoseconds: $0, resident: .kibibytes(700), shared: .kibibytes(120)) }
        #expect(gaps(reading(from: 9000, to: 10_100), samples).isEmpty)
        let late = samples.filter { !(10_020_000_000...10_060_000_000).contains($0.timeNanoseconds) }
        #expect(gaps(reading(from: 9000, to: 10_100), late).map(\.start) == [10_010_000_000])
    }

    @Test func aGapHidesNoMoreThanThePeakLessWhatFilesHeldThroughout() {
        let growing = AnonymousPeak(
            reading(from: 0, to: 20), samples: samples([0, 4, 12, 16]) { $0 < 10 ? 110 : 150 })
        #expect(growing.gapBound == .kibibytes(890))
        #expect(growing.proven == .kibibytes(850))
        // Once the files are as large as at the end, the peak of the phase says everything.
        let grown = AnonymousPeak(reading(from: 0, to: 20), samples: samples([0, 4, 12, 16]) { _ in 150 })
        #expect(grown.gapBound == grown.proven)
    }
}
