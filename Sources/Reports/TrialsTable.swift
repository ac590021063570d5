// SPDX-License-Identifier: Apache-2.0

import MemProbe
package import Runs
import Texts
import TrialKit

/// `trials.csv`: one row per trial.
///
/// Its columns are a public interface: new ones are added, and none is renamed.
package enum TrialsTable {
    private struct Column: Sendable {
        let name: String
        let text: @Sendable (Trial) -> String

        init(_ name: String, _ text: @escaping @Sendable (Trial) -> String) {
            self.name = name
            self.text = text
        }

        init(_ dimension: Dimension, _ metrics: MetricCatalog) {
            name = dimension.column
            text = { dimension.columnText(of: $0.cell, in: metrics) }
        }

        init(_ metric: Metric) {
            name = metric.name
            text = { CSV.text(metric.value($0)) }
        }
    }

    private static func columns(_ metrics: MetricCatalog) -> [Column] {
        let behind = behind(metrics)
        return [
            Column("trial") { String($0.number) },
            Column("case") { $0.cell.identifier },
            Column("asset") { $0.cell.asset },
            Column("asset_bytes") { CSV.text($0.assetByteCount.map { Double($0.rawValue) }) },
            Column("mode") { $0.cell.mode },
            Column("render") { $0.cell.render },
            Column("allocator") { $0.cell.allocator.rawValue },
            Column("outcome") { $0.outcome.kind.rawValue },
            Column("outcome_detail") { $0.outcome.detail },
            Column("body_bytes") { CSV.text($0.report?.body.map { Double($0.byteCount.rawValue) }) },
            Column("body_sha256") { $0.report?.body?.sha256 ?? "" },
        ] + metrics.all.flatMap { [Column($0)] + (behind[$0.name] ?? []) }
    }

    /// The columns between those of metrics, by the name of the metric that they follow.
    ///
    /// Their positions are fixed for readers that use column numbers; new columns come last.
    private static func behind(_ metrics: MetricCatalog) -> [String: [Column]] {
        func columns(_ dimensions: some Sequence<Dimension>) -> [Column] { dimensions.map { Column($0, metrics) } }
        return [
            Metric.peakAnonymousGrowth.name: [Column("peak_source") { $0.peakSource?.rawValue ?? "" }],
            Metric.sampledMaximum.name: [Column("seed") { String($0.seed) }],
            Metric.peakAnonymous.name: columns(Dimension.first),
            Metric.programPages.name: columns(Dimension.later) + [
                Column("side") { $0.pairing?.side.rawValue ?? "" },
                Column("stage") { $0.pairing?.stage.rawValue ?? "" },
            ] + columns(Dimension.latest),
            Metric.threads.name: [
                Column("parameters") { $0.cell.parameters.map { "\($0.name)=\($0.value)" }.joined(separator: "+") }
            ],
            Metric.decodedRecords.name: columns(Dimension.newest),
        ]
    }

    package static func text(of run: RunRecord) -> String {
        let columns = columns(run.metrics)
        return run.trials.reduce(into: CSV.line(columns.map(\.name))) { text, trial in
            text += CSV.line(columns.map { $0.text(trial) })
        }
    }
}
