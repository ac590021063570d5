// SPDX-License-Identifier: Apache-2.0

import Statistics
import Testing

/// Leaks that begin at once, or late, and what looks like one and is none.
@Suite struct LastingRiseTests {
    private static let limit = 16.0
    private static let count = 200

    private static func rise(_ series: [Int], above bytes: Double = limit) -> LastingRise? {
        RepetitionLine(series, each: 1, most: 100)?.rise(above: bytes)
    }

    @Test(arguments: [0, 50, 100, 120, 150, 155]) func aLeakIsFoundWhereverItBegins(repetition: Int) throws {
        let series = (0..<Self.count).map { 3_000_000 + 1000 * max(0, $0 - repetition) }
        let rise = try #require(Self.rise(series))
        #expect(rise.line.slope == 1000 && rise.line.slopeInterval.lowerBound == 1000)
        #expect(repetition == 0 ? rise.start == nil : abs((rise.start ?? 0) - repetition) <= Self.count / 10)
        #expect(Self.rise(series, above: 1000) == nil, "a slope that is allowed")
    }

    /// A leak needs 20 points of its own, of 100: the last fifth of the repetitions.
    @Test func oneThatBeginsInTheLastSixthIsNotSeen() {
        #expect(Self.rise((0..<Self.count).map { 1000 * max(0, $0 - 170) }) == nil)
        #expect(Self.rise((0..<40).map { 1000 * max(0, $0 - 30) }) == nil)
    }

    @Test(arguments: RepetitionShape.nulls) func whatIsNoLeakIsNotAccused(shape: RepetitionShape) {
        var noise = Noise(seed: 19)
        let accused = (0..<200).count { _ in Self.rise(shape.series(Self.count, &noise)) != nil }
        #expect(accused <= shape.mostAccused, "\(accused) of 200")
    }

    @Test(arguments: RepetitionShape.leaks) func aLateLeakIsFoundAmongNoise(shape: RepetitionShape) {
        var noise = Noise(seed: 20)
        let found = (0..<100).count { _ in
            let quiet = shape.series(Self.count, &noise)
            return Self.rise(quiet.indices.map { quiet[$0] + 1000 * max(0, $0 - 150) }) != nil
        }
        #expect(found >= 95, "\(found) of 100")
    }

    @Test func aLaterLineIsTheOneThatIsTold() throws {
        // A pool fills until the 60th repetition, nothing happens until the 120th, then 64 bytes a repetition are lost.
        let series = (0..<Self.count).map { 300 * min($0, 60) + 64 * max(0, $0 - 120) }
        let rise = try #require(Self.rise(series))
        #expect(rise.line.slope == 64)
        #expect((110...140).contains(rise.start ?? 0))
    }
}
