// SPDX-License-Identifier: Apache-2.0

import Statistics
import Testing

/// Leaks that begin at once, or late, and what looks like one and is none.
@Suite struct LastingRiseTests {
    private static let limit = 16.0
    private static let count = 200

    private static func rise(_ series: [Int], above bytes: Double = limit) -> RepetitionLine.LastingRise? {
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

    @Test(arguments: RepetitionShape.nulls) func seriesWithoutALeakAreNotAccused(shape: RepetitionShape) {
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

/// Memory series without a leak.
enum RepetitionShape: CaseIterable {
    case constant, pages, roundedBlocks, spikes, oneStep, twoSteps, threeSteps, stepAmongPages, doublingTable
    case fillingPool, fillingPoolAmongPages, settling, cacheThatIsEmptied, wanderingSlightly, wandering

    static let nulls = allCases
    static let leaks: [RepetitionShape] = [.constant, .pages, .roundedBlocks, .spikes, .oneStep]

    /// How many of 200 series may be accused: a few times the rates of ``RepetitionLine/LastingRise``.
    var mostAccused: Int {
        switch self {
        case .cacheThatIsEmptied: 6
        case .wandering: 16
        default: 2
        }
    }

    func series(_ count: Int, _ noise: inout Noise) -> [Int] {
        var series = RepetitionSeries(count: count, noise: noise)
        defer { noise = series.noise }
        return series.levels(of: self).map { 3_000_000 + Int($0) }
    }
}

private struct RepetitionSeries {
    let count: Int
    var noise: Noise

    mutating func levels(of shape: RepetitionShape) -> [Double] {
        switch shape {
        case .constant: return Array(repeating: 0, count: count)
        case .pages: return pages(2)
        case .roundedBlocks: return (0..<count).map { _ in Double(16 * draw(40)) }
        case .spikes: return (0..<count).map { _ in draw(7) == 0 ? 65_536 : 0 }
        case .oneStep: return steps(1)
        case .twoSteps: return steps(2)
        case .threeSteps: return steps(3)
        case .stepAmongPages: return zip(steps(1), pages(2)).map { $0 + $1 }
        case .doublingTable:
            let start = draw(64) + 1
            return (0..<count).map { Double(48 << (Int.bitWidth - ($0 + start).leadingZeroBitCount)) }
        case .fillingPool: return pool()
        case .fillingPoolAmongPages: return zip(pool(), pages(1)).map { $0 + $1 }
        case .settling:
            // A fiftieth to a fifth of the repetitions until half of it is there.
            let half = Double(count) * (0.02 + 0.2 * noise.uniform())
            return (0..<count).map { 100_000 * Double($0) / (Double($0) + half) }
        case .cacheThatIsEmptied:
            let (period, start) = (3 + draw(count / 2 - 3), draw(count))
            return (0..<count).map { Double(100 * (($0 + start) % period)) }
        case .wanderingSlightly: return wander(0.8)
        case .wandering: return wander(0.99)
        }
    }

    private mutating func draw(_ most: Int) -> Int { min(most, Int(noise.uniform() * Double(most + 1))) }

    private mutating func steps(_ many: Int) -> [Double] {
        let at = (0..<many).map { _ in (place: draw(count - 1), size: [64.0, 1024, 4096, 65_536, 1_048_576][draw(4)]) }
        return (0..<count).map { index in at.reduce(0) { $0 + (index >= $1.place ? $1.size : 0) } }
    }

    private mutating func pages(_ most: Int) -> [Double] {
        (0..<count).map { _ in Double(4096 * (draw(2 * most) - most)) }
    }

    private mutating func pool() -> [Double] {
        let end = draw(count * 4 / 5)
        return (0..<count).map { 300 * Double(min($0, end)) }
    }

    private mutating func wander(_ memory: Double) -> [Double] {
        var level = 0.0
        return (0..<count).map { _ in
            level = memory * level + 2000 * noise.normal()
            return (level / 16).rounded() * 16
        }
    }
}
