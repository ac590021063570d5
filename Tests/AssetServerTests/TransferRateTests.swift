// SPDX-License-Identifier: Apache-2.0

import AssetServer
import Foundation
import MemProbe
import Testing

@Suite("A rate")
struct TransferRateTests {
    @Test(
        "is a size a second or unlimited",
        arguments: [
            ("unlimited", TransferRate.unlimited),
            ("60MiB", .bytesPerSecond(.mebibytes(60))),
            ("60MiB/s", .bytesPerSecond(.mebibytes(60))),
            ("1000", .bytesPerSecond(ByteCount(1000))),
        ])
    func parsed(text: String, rate: TransferRate) {
        #expect(TransferRate(parsing: text) == rate)
        #expect(TransferRate(parsing: rate.text) == rate)
    }

    @Test("is never 0, negative or in units of two meanings", arguments: ["", "0", "0MiB", "-1", "60MB", "fast", "/s"])
    func refused(text: String) {
        #expect(TransferRate(parsing: text) == nil)
    }

    @Test("is stored as its text")
    func stored() throws {
        let rates = [TransferRate.unlimited, .standard]
        let json = try JSONEncoder().encode(rates)
        #expect(String(decoding: json, as: UTF8.self) == #"["unlimited","60MiB"]"#)
        #expect(try JSONDecoder().decode([TransferRate].self, from: json) == rates)
        #expect(throws: (any Error).self) { try JSONDecoder().decode(TransferRate.self, from: Data(#""60MB""#.utf8)) }
    }
}

@Suite("A pacing schedule")
struct PacingScheduleTests {
    @Test("makes a body last its size divided by the rate")
    func total() {
        let schedule = PacingSchedule(bytesPerSecond: 60 << 20)
        #expect(schedule.chunkByteCount == 64 * 1024)
        #expect(schedule.nanoseconds(through: 0) == 0)
        #expect(schedule.nanoseconds(through: 64 * 1024) == 1_041_666)
        #expect(schedule.nanoseconds(through: 6 << 20) == 100_000_000)
        #expect(schedule.nanoseconds(through: 600 << 20) == 10_000_000_000)
    }

    @Test("does not drift: every deadline is counted from the beginning")
    func drift() {
        let schedule = PacingSchedule(bytesPerSecond: 7_000_001)
        for chunk in stride(from: 1, through: 20_000, by: 999) {
            let bytes = chunk * schedule.chunkByteCount
            let exact = Double(bytes) / 7_000_001 * 1e9
            #expect(abs(Double(schedule.nanoseconds(through: bytes)) - exact) <= 2)
        }
    }

    @Test("sends smaller chunks where 64 KiB would come in lumps")
    func slow() {
        #expect(PacingSchedule(bytesPerSecond: 1 << 20).chunkByteCount == 10_485)
        #expect(PacingSchedule(bytesPerSecond: 10).chunkByteCount == 1)
        #expect(PacingSchedule(.unlimited) == nil)
    }

    @Test("has no time that does not fit", arguments: [1, 1 << 20, .max])
    func extremes(rate: Int) {
        let schedule = PacingSchedule(bytesPerSecond: rate)
        let size = GeneratedBytes.maximumByteCount
        #expect(schedule.nanoseconds(through: size) >= schedule.nanoseconds(through: size - 1))
        #expect(schedule.nanoseconds(through: .max) >= schedule.nanoseconds(through: size))
    }
}
