// SPDX-License-Identifier: Apache-2.0

import Statistics

/// From which change on a figure of a scenario counts, in the unit of the figure.
///
/// Such figures are no part of a whole: what a request leaves behind may be none, and one wrong picture is one too many.
package struct DecidingStep: Hashable, Sendable {
    /// The smallest change that counts.
    package let smallest: Double
    /// The change that the trials have to be able to see, or there is no answer.
    package let visible: Double

    /// - Parameter visible: `nil` for the smallest that counts.
    init(_ smallest: Double, visible: Double? = nil) {
        self.smallest = smallest
        self.visible = visible ?? smallest
    }

    /// What stays allocated a request: two of the allocator's smallest blocks, and the leak that the checks plant.
    static let leak = DecidingStep(16, visible: 64)
    /// A whole one more.
    static let one = DecidingStep(1)
}

/// The figures that decide a scenario: the columns of its table, and metrics like any other.
///
/// ``all`` is the one list: the columns of `trials.csv`, the words of budgets and the tables of reports follow from it.
package struct ScenarioFigures: Sendable {
    /// How a figure is written in a table.
    package enum Style: Sendable {
        /// Bytes, as MiB.
        case size
        /// Bytes over a mark, as MiB with a sign.
        case growth
        /// Bytes, as they are.
        case bytes
        /// Nanoseconds, as milliseconds.
        case milliseconds
        /// A share of one, as percent.
        case percent
        /// A number with two places.
        case ratio
        /// A whole number.
        case count
    }

    /// A column of the table.
    package struct Column: Sendable {
        /// Its heading.
        package let heading: String
        /// The figure.
        package let metric: Metric
        /// How it is written.
        package let style: Style
        /// From which change on a check counts it; `nil` where it explains and does not decide.
        let step: DecidingStep?

        init(_ heading: String, _ metric: Metric, _ style: Style, decides step: DecidingStep? = nil) {
            self.heading = heading
            self.metric = metric
            self.style = style
            self.step = step
        }
    }

    /// The name of the scenario.
    package let scenario: String
    /// The question that its table answers.
    package let question: String
    /// The columns.
    package let columns: [Column]
    /// How the table is read: lines.
    package let legend: [String]
    /// What the figures of a case's trials mean in a word, where they mean one; the table's last column.
    package let verdict: (@Sendable ([Trial]) -> String?)?

    /// Every scenario that has figures of its own.
    package static let all: [ScenarioFigures] = [repetition, gallery, cache, coalesce, resumption, slots, proxy]

    /// The metrics of all of them, each once.
    static let metrics: [Metric] = {
        var seen: Set<String> = []
        return all.flatMap { $0.columns.map(\.metric) }.filter { seen.insert($0.name).inserted }
    }()

    private static let repetition = ScenarioFigures(
        scenario: "repeat", question: "does a request leave something behind?",
        columns: [
            Column("requests", .scenarioRequests, .count),
            Column("allocated, B a request", .allocatedSlope, .bytes, decides: .leak),
            Column("anonymous", .anonymousSlope, .bytes),
            Column("resident", .residentSlope, .bytes),
        ] + zip(["after 0 s", "0.1 s", "1 s", "5 s", "purge"], Metric.returnCurve).map { Column($0, $1, .growth) },
        legend: [
            "Slopes by the Theil–Sen estimator. *leaks*: what is allocated grows with every request, beyond its 95 % interval",
            "or does so from some request on, and goes on to the end; *kept by the allocator*: resident grows, allocated does not;",
            "*grows by B, then flat*: what is allocated levels off, as a cache does that fills; *flat*: none of these, or less than",
            "1 MiB before it levels off. Caches of jemalloc's threads count as free, those of glibc's as allocated.",
            "The last columns are the return curve: resident over the mark after the last request, in MiB.",
        ], verdict: RepetitionSummary.words)
}

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
