// SPDX-License-Identifier: Apache-2.0

/// A rise that goes on to the end of a series of repetitions: of all of it, or of its last part.
///
/// The whole series is judged first. Where it does not rise, each of its ends is, from the last 95 % to the last 20 % and
/// to 20 points: one of them begins near the place where a level series begins to rise. Each has to rise by its
/// interval, whose confidence is corrected for how many are tried (Bonferroni), and as steadily as a whole series. Two
/// more things tell a leak that begins late from what settles or swings: its last third leaves the band in which the
/// readings were before, by half of the whole rise, and the slope before it is less than half as steep.
///
/// False alarms, simulated over 10,000 series each of 200 readings against a limit of 16 bytes, as whole series and as ends:
/// noise of pages or blocks, spikes, one or two steps, a table that doubles, a pool that fills, a level that settles:
/// none; three steps, or one among pages: 0 and 0.01 %; a pool that fills among pages: 0.3 and 0 %; a cache that is
/// emptied now and then: 0.7 and 0 %; a level that wanders (autoregressive, 0.99): 0.9 and 2.5 %.
/// Found of 300 leaks of 64 bytes that begin with the 150th reading: all, 97 % among spikes of 64 KiB, none among
/// changes of ± 2 pages; of 1,000 bytes: all, 94 % among those pages.
package struct LastingRise: Hashable, Sendable {
    /// An end of fewer points is not judged.
    package static let fewestPoints = 20
    /// The ends that are tried are multiples of one in so many of the series.
    private static let ends = 20
    /// How much of what was read before an end lies below the top of its band: single wild readings do not count.
    private static let band = 0.95

    package let line: RobustRegression
    /// The request after which the rise is seen, or `nil` where the whole series rises.
    package let start: Int?
    package let amount: Double

    init?(_ points: RepetitionPoints, _ whole: RobustRegression, isEnough: (Double) -> Bool) {
        if isEnough(whole.slopeInterval.lowerBound), points.rise(in: 0..<points.count, steadilyBy: whole.slope) {
            (line, start) = (whole, nil)
            amount = whole.slope * points.requests(in: 0..<points.count)
            return
        }
        let starts = Self.starts(points.count)
        let confidence = 1 - 0.05 / Double(max(1, starts.count))
        let rises = starts.compactMap { start in
            Self.line(of: points, from: start, confidence, isEnough).map { (line: $0, start: start) }
        }
        // The end that begins before the rise is less steep, and one that begins behind it is less certain.
        guard let best = rises.max(by: { $0.line.slopeInterval.lowerBound < $1.line.slopeInterval.lowerBound }) else {
            return nil
        }
        (line, start) = (best.line, points.request(of: best.start))
        amount = best.line.slope * points.requests(in: best.start..<points.count)
    }

    /// Where the ends begin that are tried.
    private static func starts(_ count: Int) -> [Int] {
        Set((1..<ends).map { count - (count * $0 + ends / 2) / ends }).filter {
            count - $0 >= max(fewestPoints, count / 5)
        }
        .sorted()
    }

    /// The line through an end that is a rise of its own.
    private static func line(
        of points: RepetitionPoints, from start: Int, _ confidence: Double, _ isEnough: (Double) -> Bool
    ) -> RobustRegression? {
        let end = start..<points.count
        let height = OrderStatistics.median(points.readings(in: (points.count - end.count / 3)..<points.count))
        let top = OrderStatistics.quantile(band, ofSorted: points.readings(in: 0..<start).sorted())
        // Most series end here: two medians are cheaper than a line.
        guard height > top, let line = points.line(in: end, confidence: confidence),
            isEnough(line.slopeInterval.lowerBound), height - top >= line.slope * points.requests(in: end) / 2
        else { return nil }
        if let before = points.line(in: max(0, start - end.count)..<start), before.slope > line.slope / 2 { return nil }
        return points.rise(in: end, steadilyBy: line.slope) ? line : nil
    }
}
