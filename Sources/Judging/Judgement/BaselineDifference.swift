// SPDX-License-Identifier: Apache-2.0

package import Runs
import Statistics
import Texts
import TrialKit

/// The changes that a new baseline makes, for its reviewer.
package struct BaselineDifference: Sendable {
    private let older: Baseline?
    private let newer: Baseline
    private let metrics: [Metric]

    /// - Parameter metrics: The metrics of both baselines.
    package init(older: Baseline?, newer: Baseline, of metrics: MetricCatalog) {
        self.metrics = metrics.judged
        self.older = older
        self.newer = newer
    }

    package var text: String {
        var table = TextTable(
            ["case", "metric", "before, MiB", "now, MiB", "change, MiB", "since anchor, MiB"], words: 2)
        let names = Set(newer.cases.keys).union(older?.cases.keys.map { $0 } ?? []).sorted()
        for name in names {
            for metric in metrics {
                let before = older?.cases[name]?[metric.name]
                let now = newer.cases[name]?[metric.name]
                guard before != nil || now != nil else { continue }
                let (size, growth) = Self.writing(metric)
                table.rows.append([
                    SafeText.forTerminal(name), metric.name, size(median(before)), size(median(now)),
                    growth(change(median(before), median(now))), growth(change(now?.anchor, median(now))),
                ])
            }
        }
        return table.plain
    }

    /// Returns formatters: MiB for memory, as in the header, and the metric's own unit for a scenario's figure.
    private static func writing(_ metric: Metric) -> (size: (Double?) -> String, growth: (Double?) -> String) {
        let isMemory = JudgedMetric.memory.contains { $0.alternatives[0].name == metric.name }
        guard !isMemory else { return (FigureText.size, FigureText.growth) }
        let unit = metric.unit == .bytes ? " B" : ""
        let text = { (value: Double?) in
            value.map { ByteText.fixed($0, places: 2) + unit } ?? FigureText.absent
        }
        return (text, text)
    }

    private func median(_ series: Baseline.Series?) -> Double? {
        series.flatMap { Distribution($0.trials)?.median }
    }

    private func change(_ before: Double?, _ now: Double?) -> Double? {
        guard let before, let now else { return nil }
        return now - before
    }
}
