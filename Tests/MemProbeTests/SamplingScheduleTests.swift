// SPDX-License-Identifier: Apache-2.0

import Foundation
import MemProbe
import Testing

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
    func whatWasMissedIsSkippedAndTheBeatIsKept(due: Int, now: Int, next: Int) {
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
