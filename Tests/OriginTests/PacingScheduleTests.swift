// SPDX-License-Identifier: Apache-2.0

import Origin
import Runs
import Testing

struct PacingScheduleTests {
    @Test func makesABodyLastItsSizeDividedByTheRate() {
        let schedule = PacingSchedule(bytesPerSecond: 60 << 20)
        #expect(schedule.chunkByteCount == 64 * 1024)
        #expect(schedule.nanoseconds(through: 0) == 0)
        #expect(schedule.nanoseconds(through: 64 * 1024) == 1_041_666)
        #expect(schedule.nanoseconds(through: 6 << 20) == 100_000_000)
        #expect(schedule.nanoseconds(through: 600 << 20) == 10_000_000_000)
    }

    @Test func doesNotDriftEveryDeadlineIsCountedFromTheBeginning() {
        let schedule = PacingSchedule(bytesPerSecond: 7_000_001)
        for chunk in stride(from: 1, through: 20_000, by: 999) {
            let bytes = chunk * schedule.chunkByteCount
            let exact = Double(bytes) / 7_000_001 * 1e9
            #expect(abs(Double(schedule.nanoseconds(through: bytes)) - exact) <= 2)
        }
    }

    @Test func sendsSmallerChunksWhere64KiBWouldComeInLumps() {
        #expect(PacingSchedule(bytesPerSecond: 1 << 20).chunkByteCount == 10_485)
        #expect(PacingSchedule(bytesPerSecond: 10).chunkByteCount == 1)
        #expect(PacingSchedule(.unlimited) == nil)
    }

    @Test(arguments: [1, 5]) func aSharedRateIsThatOfAllAnswersTogether(answers: Int) async throws {
        try await withOrigin(rate: .shared(ByteCount(1_000_000))) { origin in
            try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<answers {
                    group.addTask { try await Curl.fetch(origin.baseURL + "/bytes/\(500_000 / answers)B").body.count }
                }
                for try await count in group { #expect(count == 500_000 / answers) }
            }
            // A client has the last byte before the origin notes the end.
            while origin.requests().contains(where: { $0.endedNanoseconds == nil }) { await Task.yield() }
            let requests = origin.requests()
            let (first, last) = (requests.map(\.beganNanoseconds).min(), requests.compactMap(\.endedNanoseconds).max())
            // The first 50 ms of an idle line are free; a busy machine is later.
            #expect(try #require(last) - #require(first) >= 440_000_000)
        }
    }

    @Test(arguments: [1, 1 << 20, .max]) func hasNoTimeThatDoesNotFit(rate: Int) {
        let schedule = PacingSchedule(bytesPerSecond: rate)
        let size = GeneratedBytes.maximumByteCount
        #expect(schedule.nanoseconds(through: size) >= schedule.nanoseconds(through: size - 1))
        #expect(schedule.nanoseconds(through: .max) >= schedule.nanoseconds(through: size))
    }
}
