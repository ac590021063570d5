// SPDX-License-Identifier: Apache-2.0

import MemProbe
package import Runs
import Statistics
import Texts
import TrialKit

/// `summary.csv`: tidy data, one row for each metric of each case.
package enum SummaryTable {
    private static let header = [
        "case", "asset", "asset_bytes", "mode", "render", "allocator", "metric", "unit", "n", "failed", "median",
        "min", "max", "mad", "cv_ratio",
    ]

    package static func text(of run: RunRecord) -> String {
        var text = CSV.line(header + Dimension.all.map(\.column))
        let byCase = run.trialsByCase
        let metrics = run.metrics
        for cell in run.plan.cases {
            let trials = byCase[cell] ?? TrialList([])
            let size = run.plan.asset(of: cell)?.byteCount
            let identity = [
                cell.identifier, cell.asset, CSV.text(size.map { Double($0.rawValue) }), cell.mode, cell.render,
                cell.allocator.rawValue,
            ]
            let failed = trials.count { !$0.isCompleted }
            for metric in metrics.all {
                guard let values = metric.distribution(over: trials) else { continue }
                let figures = [metric.name, metric.unit.rawValue] + row(of: values, failed: failed)
                text += CSV.line(identity + figures + Dimension.all.map { $0.columnText(of: cell, in: metrics) })
            }
        }
        return text
    }

    private static func row(of values: Distribution, failed: Int) -> [String] {
        [String(values.count), String(failed)]
            + [
                values.median, values.minimum, values.maximum, values.medianAbsoluteDeviation,
                values.coefficientOfVariation,
            ].map { CSV.text($0) }
    }
}
