// SPDX-License-Identifier: Apache-2.0

import Statistics

/// What the trials of a case that repeats its fetch say together.
enum RepetitionSummary {
    /// The words that most trials have, with the median as their figure; where half of them leak nobody knows.
    static func words(of trials: [Trial]) -> String? {
        let trends = trials.compactMap { RepetitionTrend($0) }
        guard !trends.isEmpty else { return nil }
        let leaking = trends.filter { if case .leaks = $0.verdict { true } else { false } }
        if 2 * leaking.count > trends.count { return words(ofLeaks: trends) }
        if !leaking.isEmpty, 2 * leaking.count == trends.count {
            return "undecided: leaks in \(leaking.count) of \(trends.count) trials"
        }
        let others = alike(trends.map(\.verdict)).map(\.words).filter { !$0.hasPrefix("leaks") }
        let counts = Dictionary(grouping: others) { $0 }.mapValues(\.count)
        return counts.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key
    }

    /// The same verdicts, with the median where they differ by how much was kept before it levelled off.
    private static func alike(_ verdicts: [RepetitionVerdict]) -> [RepetitionVerdict] {
        let levels = verdicts.compactMap { if case .levels(let bytes) = $0 { bytes } else { nil } }
        return verdicts.map { verdict in
            if case .levels = verdict { .levels(bytes: OrderStatistics.median(levels)) } else { verdict }
        }
    }

    /// The words of trials most of which leak: the median of what they leave, and from where on if most begin late.
    private static func words(ofLeaks trends: [RepetitionTrend]) -> String {
        var slopes: [Double] = []
        var starts: [Double] = []
        for trend in trends {
            if case .leaks(let bytes, let start) = trend.verdict {
                slopes.append(bytes)
                starts += start.map { [Double($0)] } ?? []
            } else if let slope = trend.allocated?.slope {
                slopes.append(slope)
            }
        }
        let isLate = 2 * starts.count > trends.count
        return RepetitionVerdict.leaks(
            bytes: OrderStatistics.median(slopes), from: isLate ? Int(OrderStatistics.median(starts)) : nil
        ).words
    }
}
