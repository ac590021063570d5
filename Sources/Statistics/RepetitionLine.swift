// SPDX-License-Identifier: Apache-2.0

/// A series read after each of many repetitions, with the line through it and its lasting rise.
package struct RepetitionLine: Hashable, Sendable {
    package let whole: RobustRegression
    private let points: RepetitionPoints

    /// Fits the line; `nil` for fewer than four points.
    /// - Parameters:
    ///   - values: The readings after each repetition.
    ///   - requests: The number of requests in a repetition; slopes are per request.
    ///   - most: The maximum number of points, as the time grows with their square.
    package init?(_ values: [Int], each requests: Int, most: Int) {
        let points = RepetitionPoints(values, each: requests, most: most)
        guard points.count >= 4, let whole = points.line() else { return nil }
        self.whole = whole
        self.points = points
    }

    /// Returns a rise to the end by at least so much per request.
    package func rise(atLeast bytes: Double) -> LastingRise? { LastingRise(points, whole) { $0 >= bytes } }

    /// Returns a rise to the end by more than so much per request.
    package func rise(above bytes: Double) -> LastingRise? { LastingRise(points, whole) { $0 > bytes } }

    /// Returns the rise before the series levels off; `nil` if it is smaller or goes on.
    ///
    /// The lowest point of the last half is above both of the first two, as in one of 1,326 noise series of 100 points,
    /// and the rise within that half is at most a tenth of the whole.
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

    /// True if the whole series rises steadily by more than so much per request.
    package func risesThroughout(above bytes: Double) -> Bool {
        whole.slopeInterval.lowerBound > bytes && points.rise(in: 0..<points.count, steadilyBy: whole.slope)
    }
}

/// The points of a series of repetitions.
struct RepetitionPoints: Hashable, Sendable {
    private let x: [Double]
    private let y: [Double]

    /// Takes the lowest reading of each block of repetitions, which excludes memory that a client frees a moment later.
    init(_ values: [Int], each requests: Int, most: Int) {
        let size = max(1, (values.count + most - 1) / most)
        let lowest = stride(from: 0, to: values.count, by: size).compactMap { start in
            (start..<min(start + size, values.count)).min { values[$0] < values[$1] }
        }
        x = lowest.map { Double(($0 + 1) * requests) }
        y = lowest.map { Double(values[$0]) }
    }

    var count: Int { x.count }

    /// Returns the number of the request after which a point was read.
    func request(of point: Int) -> Int { Int(x[point]) }

    /// Returns the number of requests between the first and the last point.
    func requests(in range: Range<Int>) -> Double { x[range.upperBound - 1] - x[range.lowerBound] }

    func readings(in range: Range<Int>) -> [Double] { Array(y[range]) }

    /// Returns the line through the points, or `nil` for fewer than two.
    func line(in range: Range<Int>? = nil, confidence: Double = 0.95) -> RobustRegression? {
        let range = range ?? x.indices
        return try? RobustRegression(x: Array(x[range]), y: Array(y[range]), confidence: confidence)
    }

    /// True if each half and each third of the points rises at least half as steeply as their line.
    ///
    /// Not so the few steps of a cache or a growing table, nor a pool that has filled. A part has at least two points.
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
