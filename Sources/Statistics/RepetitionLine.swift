// SPDX-License-Identifier: Apache-2.0

/// A series read after each of many repetitions: the line through it, and where it rises for good.
package struct RepetitionLine: Hashable, Sendable {
    /// The line through all of it.
    package let whole: RobustRegression
    private let points: RepetitionPoints

    /// Fits the line; `nil` of fewer than four points.
    /// - Parameters:
    ///   - values: what was read after each repetition.
    ///   - requests: how many requests a repetition has: slopes are per request.
    ///   - most: how many points are looked at; more say no more, and take their square in time.
    package init?(_ values: [Int], each requests: Int, most: Int) {
        let points = RepetitionPoints(values, each: requests, most: most)
        guard points.count >= 4, let whole = points.line() else { return nil }
        self.whole = whole
        self.points = points
    }

    /// The rise by at least so much a request that goes on to the end; `nil` where there is none.
    package func rise(atLeast bytes: Double) -> LastingRise? { LastingRise(points, whole) { $0 >= bytes } }

    /// The rise by more than so much a request that goes on to the end; `nil` where there is none.
    package func rise(above bytes: Double) -> LastingRise? { LastingRise(points, whole) { $0 > bytes } }

    /// How much it rises before it levels off; `nil` where that is less than so much, or where it goes on rising.
    ///
    /// The lowest point of its last half lies above both of its first two, as in one of 1,326 series of 100 points that are
    /// noise alone, and within that half it rises by a tenth of the whole at most.
    package func levelledRise(atLeast bytes: Double) -> Double? {
        guard points.count >= LastingRise.fewestPoints else { return nil }
        let start = points.readings(in: 0..<2)
        let end = points.readings(in: (points.count / 2)..<points.count)
        guard let level = end.min(), let top = start.max(), level - top >= bytes else { return nil }
        let third = end.count / 3
        let climb = OrderStatistics.median(Array(end.suffix(third))) - OrderStatistics.median(Array(end.prefix(third)))
        let amount = level - start[0]
        return climb <= amount / 10 ? amount : nil
    }

    /// Whether all of it rises by more than so much a request, steadily.
    package func risesThroughout(above bytes: Double) -> Bool {
        whole.slopeInterval.lowerBound > bytes && points.rise(in: 0..<points.count, steadilyBy: whole.slope)
    }
}

/// The points through which the lines of a series of repetitions go.
struct RepetitionPoints: Hashable, Sendable {
    private let x: [Double]
    private let y: [Double]

    /// The lowest reading of each block of repetitions: what a client lets go of a moment later is in none of them.
    init(_ values: [Int], each requests: Int, most: Int) {
        let size = max(1, (values.count + most - 1) / most)
        let lowest = stride(from: 0, to: values.count, by: size).compactMap { start in
            (start..<min(start + size, values.count)).min { values[$0] < values[$1] }
        }
        x = lowest.map { Double(($0 + 1) * requests) }
        y = lowest.map { Double(values[$0]) }
    }

    var count: Int { x.count }

    /// The number of the request after which a point was read.
    func request(of point: Int) -> Int { Int(x[point]) }

    /// How many requests lie between the first and the last of some points.
    func requests(in range: Range<Int>) -> Double { x[range.upperBound - 1] - x[range.lowerBound] }

    func readings(in range: Range<Int>) -> [Double] { Array(y[range]) }

    /// The line through some of the points; `nil` through fewer than two.
    func line(in range: Range<Int>? = nil, confidence: Double = 0.95) -> RobustRegression? {
        let range = range ?? x.indices
        return try? RobustRegression(x: Array(x[range]), y: Array(y[range]), confidence: confidence)
    }

    /// Whether each half of some points and each third of them rises at least half as steeply as their line.
    ///
    /// The few steps of a cache or of a table that doubles do not, nor does a pool that has filled. A part has two points
    /// at least.
    func rise(in range: Range<Int>, steadilyBy slope: Double) -> Bool {
        [2, 3].filter { 2 * $0 <= range.count }.allSatisfy { parts in
            (0..<parts).allSatisfy { part in
                let lower = range.lowerBound + range.count * part / parts
                let upper = range.lowerBound + range.count * (part + 1) / parts
                guard let line = line(in: lower..<upper) else { return false }
                return line.slope >= slope / 2
            }
        }
    }
}
