// SPDX-License-Identifier: Apache-2.0

import Foundation
import MemProbe
import Testing

/// The bounds are wide, and what a busy machine can spoil is tried again: it holds a thread up now and then, not always.
@Suite(.ownThreads) struct SamplerTests {
    static let fast = SamplingSchedule(intervalNanoseconds: 1_000_000)

    private func sample(
        _ schedule: SamplingSchedule, capacity: Int = 5000, for seconds: Double
    ) throws -> SampleSeries {
        let child = try FixtureProcess(["hold", "\(8 << 20)"])
        _ = child.readAnswers(through: "anonymous")
        let sampler = try Sampler(schedule: schedule, capacity: capacity)
        try sampler.start(.pid(child.identifier))
        Thread.sleep(forTimeInterval: seconds)
        return sampler.stop()
    }

    @Test func aSecondAt1KilohertzIsAboutAThousandSamplesInOrder() throws {
        let before = MonotonicClock.now()
        var series = try sample(Self.fast, for: 1)
        for _ in 0..<4 where series.samples.count <= 300 { series = try sample(Self.fast, for: 1) }
        let times = series.samples.map(\.timeNanoseconds)
        // The second may have been a longer one.
        let milliseconds = try (#require(times.last) - #require(times.first)) / 1_000_000
        #expect(times.count > 300 && times.count < milliseconds * 3 / 2)
        #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 })
        #expect(times.allSatisfy { $0 >= before && $0 <= MonotonicClock.now() })
        #expect(series.samples.allSatisfy { $0.resident > .mebibytes(7) && $0.anonymous > .mebibytes(7) })
        #expect(series.dropped == 0 && series.interruption == nil)
    }

    @Test func theScheduleBecomesSlower() throws {
        let schedule = SamplingSchedule(
            intervalNanoseconds: 2_000_000, slowAfterNanoseconds: 300_000_000, slowIntervalNanoseconds: 50_000_000)
        func isKept() throws -> Bool {
            let times = try sample(schedule, for: 0.9).samples.map(\.timeNanoseconds)
            let start = try #require(times.first)
            let slow = times.filter { $0 - start > 360_000_000 }
            guard let last = slow.last, times.count(where: { $0 - start < 300_000_000 }) > 30 else { return false }
            return slow.count >= 3 && slow.count <= (last - start - 360_000_000) / 50_000_000 + 2
        }
        // Beside other work a sample of the quick part may come in the slow one.
        #expect(try (0..<5).contains { _ in try isKept() })
    }

    @Test func aPlateauOf50MillisecondsIsSeenFromInside() throws {
        var answers = try Fixture.run("plateau", "\(32 << 20)")
        for _ in 0..<4 where try answers.number("on-plateau") < 5 {
            answers = try Fixture.run("plateau", "\(32 << 20)")
        }
        #expect(try answers.number("on-plateau") >= 5)
        let deviation = try answers.number("maximum") - 32 << 20
        #expect(abs(deviation) < 2 << 20)
    }

    @Test func aFullBufferDropsAndSaysSo() throws {
        let series = try sample(Self.fast, capacity: 10, for: 0.2)
        #expect(series.samples.count == 10)
        #expect(series.dropped > 10)
    }

    @Test func aGapOfMoreThanFiveIntervalsIsSaid() throws {
        // No machine wakes a thread every microsecond.
        let series = try sample(SamplingSchedule(intervalNanoseconds: 1000), capacity: 200_000, for: 0.1)
        #expect(series.isDegraded)
        #expect(series.longestGapNanoseconds > 5000)
    }

    @Test func aLongIntervalDoesNotDelayTheEnd() throws {
        let sampler = try Sampler(schedule: SamplingSchedule(intervalNanoseconds: 60_000_000_000), capacity: 8)
        var shortest = Int.max
        for _ in 0..<5 {
            try sampler.start(.current)
            Thread.sleep(forTimeInterval: 0.02)
            let start = MonotonicClock.now()
            let count = sampler.stop().samples.count
            shortest = min(shortest, MonotonicClock.now() - start)
            // The first and the last; on a busy machine the thread may first wake when it is told to end.
            #expect((1...2).contains(count))
        }
        // How soon a thread wakes is the machine's; that it does not sleep its minute out is the sampler's.
        #expect(shortest < 1_000_000_000)
    }

    @Test func theSeriesEndsWithTheProcess() throws {
        let child = try FixtureProcess(["hold", "4096"])
        _ = child.readAnswers(through: "anonymous")
        let sampler = try Sampler(schedule: Self.fast, capacity: 5000)
        try sampler.start(.pid(child.identifier))
        Thread.sleep(forTimeInterval: 0.1)
        child.kill()
        let end = MonotonicClock.now()
        Thread.sleep(forTimeInterval: 0.2)
        let series = sampler.stop()
        #expect(series.interruption?.code == .noSuchProcess)
        #expect(series.samples.count > 5)
        #expect(series.samples.allSatisfy { $0.resident > .zero && $0.timeNanoseconds < end })
    }

    @Test func aProcessOverItsLimitIsKilledAndItsSizeIsSaid() throws {
        let child = try FixtureProcess(["hold", "\(64 << 20)"])
        let sampler = try Sampler(schedule: Self.fast, capacity: 5000)
        try sampler.start(.pid(child.identifier), residentLimit: .mebibytes(32))
        // It is killed while it still grows, or when it holds everything; left alone it would hold that for ever.
        #expect(child.hasEnded(within: 10))
        let series = sampler.stop()
        child.kill()
        #expect(child.finish() == -SIGKILL)
        let reached = try #require(series.overLimit)
        #expect(reached > .mebibytes(32) && reached < .mebibytes(120))
        #expect(series.samples.contains { $0.resident > .mebibytes(32) })
    }

    @Test func aProcessWithinItsLimitIsLeftAlone() throws {
        let child = try FixtureProcess(["hold", "\(8 << 20)"])
        _ = child.readAnswers(through: "anonymous")
        let sampler = try Sampler(schedule: Self.fast, capacity: 5000)
        try sampler.start(.pid(child.identifier), residentLimit: .mebibytes(512))
        Thread.sleep(forTimeInterval: 0.1)
        let series = sampler.stop()
        #expect(series.overLimit == nil && series.interruption == nil)
        #expect(kill(child.identifier, 0) == 0)
    }

    @Test func theThreadIsAsUrgentAsItMayBe() throws {
        let answers = try Fixture.run("urgency")
        // The kernel's view of the sampler's thread, compared with what the process may request.
        let isAllowed = try answers.number("real-time-allowed") == 1
        let resetOnFork = 0x4000_0000
        #expect(try answers.number("policy") == (isAllowed ? Int(SCHED_RR) | resetOnFork : Int(SCHED_OTHER)))
        #expect(try answers.number("own-policy") == Int(SCHED_OTHER), "the program's own threads stay as they were")
    }

    @Test func startedAndStopped200TimesItLeavesNothingBehind() throws {
        let answers = try Fixture.run("churn", "200")
        #expect(try answers.number("descriptors") == 0)
        #expect(try answers.number("threads") == 1)
        #expect(try answers.number("samples") >= 200)
        #expect(try answers.number("resident") < 1 << 20)
    }

    @Test func oneSamplerDoesOneThingAtATime() throws {
        let sampler = try Sampler(schedule: Self.fast, capacity: 100)
        #expect(sampler.stop().samples.isEmpty)
        try sampler.start(.current)
        let error = #expect(throws: MemProbeError.self) { try sampler.start(.current) }
        #expect(error?.code == .busy)
        #expect(!sampler.stop().samples.isEmpty)
        #expect(sampler.stop().samples.isEmpty)
    }

    @Test func aProcessThatDoesNotExistCannotBeSampled() throws {
        let sampler = try Sampler(schedule: Self.fast, capacity: 100)
        let error = #expect(throws: MemProbeError.self) { try sampler.start(.pid(Int32.max)) }
        #expect(error?.code == .noSuchProcess)
        try sampler.start(.current)
        _ = sampler.stop()
    }

    @Test func aBufferThatNoMachineHasIsRefused() {
        let error = #expect(throws: MemProbeError.self) { _ = try Sampler(schedule: Self.fast, capacity: 1 << 58) }
        #expect(error?.code == .exhausted)
    }

    @Test func aSamplerThatIsForgottenEndsItsThread() throws {
        let child = try FixtureProcess(["hold", "4096"])
        _ = child.readAnswers(through: "anonymous")
        weak var forgotten: Sampler?
        do {
            let sampler = try Sampler(schedule: Self.fast, capacity: 100)
            try sampler.start(.pid(child.identifier))
            forgotten = sampler
        }
        #expect(forgotten == nil)
    }
}

struct SamplingScheduleTests {
    @Test func theStandardIsFastForTenSecondsThenSlow() {
        let schedule = SamplingSchedule.standard
        #expect(schedule.interval(at: 0) == 1_000_000)
        #expect(schedule.interval(at: 9_999_999_999) == 1_000_000)
        #expect(schedule.interval(at: 10_000_000_000) == 10_000_000)
    }

    @Test(arguments: [(0, 3), (1_000_000, 4), (10_000_000_000, 10_003), (20_000_000_000, 11_003)])
    func theCapacityHoldsEverySample(duration: Int, capacity: Int) {
        #expect(SamplingSchedule.standard.capacity(forNanoseconds: duration) == capacity)
    }

    @Test func withoutASlowerPartTheIntervalStays() {
        let schedule = SamplingSchedule(intervalNanoseconds: 5_000_000)
        #expect(schedule.interval(at: Int.max) == 5_000_000)
        #expect(schedule.capacity(forNanoseconds: 1_000_000_000) == 203)
    }

    @Test(arguments: [
        (100, 100, 110), (100, 104, 110), (100, 109, 110), (100, 110, 120), (100, 137, 140), (100, 99, 110),
    ])
    func missedSamplesAreSkippedAndTheIntervalIsKept(due: Int, now: Int, next: Int) {
        #expect(SamplingSchedule.next(after: due, now: now, interval: 10) == next)
    }

    @Test func aScheduleSurvivesJSON() throws {
        let data = try JSONEncoder().encode(SamplingSchedule.standard)
        #expect(try JSONDecoder().decode(SamplingSchedule.self, from: data) == .standard)
    }

    @Test(arguments: [
        #"{"interval_ns": 0}"#, #"{"interval_ns": -5}"#, #"{"interval_ns": 5, "slow_interval_ns": 0}"#,
        #"{"interval_ns": 5, "slow_after_ns": -1}"#, "{}",
    ])
    func aScheduleWithoutPositiveIntervalsIsRefused(text: String) {
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(SamplingSchedule.self, from: Data(text.utf8))
        }
    }
}
