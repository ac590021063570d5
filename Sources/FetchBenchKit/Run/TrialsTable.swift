// SPDX-License-Identifier: Apache-2.0

import MemProbe
import TrialKit

/// `trials.csv`, one row a trial.
///
/// Its columns are a public interface: added to, never renamed.
package enum TrialsTable {
    private struct Column: Sendable {
        let name: String
        let text: @Sendable (Trial) -> String

        init(_ name: String, _ text: @escaping @Sendable (Trial) -> String) {
            self.name = name
            self.text = text
        }

        init(_ metric: Metric) {
            name = metric.name
            text = { CSV.text(metric.value($0)) }
        }
    }

    private static let columns: [Column] =
        [
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
            Column(.baselineResident), Column(.baselineAnonymous), Column(.peakResidentGrowth),
            Column(.peakAnonymousGrowth),
            Column("peak_source") { $0.peakSource?.rawValue ?? "" },
            Column(.copiesHeld),
        ]
        + Phase.measured.flatMap { Metric.figures(of: $0).map { Column($0) } }
        + [
            Column(.retainedResidentGrowth), Column(.retainedAnonymousGrowth), Column(.pageCache),
            Column(.sampledMaximum),
            Column("seed") { String($0.seed) },
            Column(.verificationCPU), Column(.processDuration), Column(.purgedResidentGrowth), Column(.bitmap),
            Column(.copiesBesideBitmap), Column(.peakResident), Column(.peakAnonymous),
        ] + ConditionColumns.all.map { column in Column(column.name) { column.text($0.cell.conditions) } }
        + [Column(.netPeakGrowth), Column(.netPeak), Column(.baselineProgramPages), Column(.programPages)]

    /// The whole table.
    package static func text(of trials: [Trial]) -> String {
        trials.reduce(into: CSV.line(columns.map(\.name))) { text, trial in
            text += CSV.line(columns.map { $0.text(trial) })
        }
    }
}
