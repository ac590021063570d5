// SPDX-License-Identifier: Apache-2.0

import Statistics

/// The common result of a case's trials that repeat their fetch.
enum RepetitionSummary {
    /// Returns the most frequent verdict with the median as its figure; undecided if exactly half of the trials leak.
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

    /// Returns the verdicts with the median of the levels at which growth stopped.
    private static func alike(_ verdicts: [RepetitionVerdict]) -> [RepetitionVerdict] {
        let levels = verdicts.compactMap { if case .levels(let bytes) = $0 { bytes } else { nil } }
        return verdicts.map { verdict in
            if case .levels = verdict { .levels(bytes: OrderStatistics.median(levels)) } else { verdict }
        }
    }

    /// Returns the verdict if most trials leak: the median leak, and the median start if most leaks begin late.
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
