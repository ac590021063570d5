// SPDX-License-Identifier: Apache-2.0

/// The line through a series, and through each half of it.
package struct RepetitionLine: Hashable, Sendable {
    /// The line through all of it.
    package let whole: RobustRegression
    private let halves: [RobustRegression]

    /// Fits the lines; `nil` of fewer than four points.
    /// - Parameters:
    ///   - values: what was read after each repetition.
    ///   - requests: how many requests a repetition has: slopes are per request.
    ///   - most: how many points are looked at; more say no more, and take their square in time.
    package init?(_ values: [Int], each requests: Int, most: Int) {
        let points = Self.lowest(of: values, each: requests, most: most)
        let middle = points.count / 2
        guard middle >= 2, let whole = Self.fit(points[...]) else { return nil }
        self.whole = whole
        halves = [points[..<middle], points[middle...]].compactMap(Self.fit)
    }

    /// Whether it rises by so much a request beyond what chance explains, and goes on: one step does not, nor does a
    /// pool that fills, whose second half rises less than half as steeply as the whole.
    package func goesOn(atLeast bytes: Double) -> Bool {
        whole.slopeInterval.lowerBound >= bytes && isSteady
    }

    /// Whether it rises by more than so much a request beyond what chance explains, and goes on.
    package func goesOn(above bytes: Double) -> Bool {
        whole.slopeInterval.lowerBound > bytes && isSteady
    }

    private var isSteady: Bool { halves.allSatisfy { $0.slope >= whole.slope / 2 } }

    /// The lowest reading of each block of repetitions: what a client lets go of a moment later is in none of them.
    private static func lowest(of values: [Int], each requests: Int, most: Int) -> [(x: Double, y: Double)] {
        let size = max(1, (values.count + most - 1) / most)
        return stride(from: 0, to: values.count, by: size).compactMap { start in
            let block = values[start..<min(start + size, values.count)]
            guard let lowest = block.indices.min(by: { block[$0] < block[$1] }) else { return nil }
            return (Double((lowest + 1) * requests), Double(block[lowest]))
        }
    }

    private static func fit(_ points: ArraySlice<(x: Double, y: Double)>) -> RobustRegression? {
        try? RobustRegression(x: points.map(\.x), y: points.map(\.y))
    }
}
