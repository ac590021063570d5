// SPDX-License-Identifier: Apache-2.0

import MemProbe
package import Runs
import Statistics
import Texts

/// `slopes.csv`: one row for each sweep of sizes.
package enum SlopesTable {
    private static let header =
        ["mode", "render", "allocator"] + Dimension.first.map(\.column) + [
            "assets", "sizes", "smallest_bytes", "largest_bytes", "n", "slope_ratio", "slope_low_ratio",
            "slope_high_ratio",
            "intercept_bytes", "verdict",
        ] + (Dimension.later + Dimension.latest + Dimension.newest).map(\.column)

    /// Returns the whole table, or `nil` if the run has no sweep.
    package static func text(of report: Report) -> String? {
        guard !report.sweeps.isEmpty else { return nil }
        return report.sweeps.reduce(into: CSV.line(header)) { text, sweep in
            text += CSV.line(row(of: sweep, report.metrics))
        }
    }

    private static func row(of sweep: SizeSweep, _ metrics: MetricCatalog) -> [String] {
        let cell = sweep.common
        let line = sweep.line
        return [cell.mode, cell.render, cell.allocator.rawValue]
            + Dimension.first.map { $0.columnText(of: cell, in: metrics) }
            + [
                sweep.cases.map(\.asset).joined(separator: " "), String(sweep.sizes.count),
                String(sweep.sizes.first?.rawValue ?? 0),
                String(sweep.sizes.last?.rawValue ?? 0), String(sweep.trials), CSV.text(line.slope),
                CSV.text(line.slopeInterval.lowerBound), CSV.text(line.slopeInterval.upperBound),
                CSV.text(line.intercept), sweep.verdict.words,
            ] + (Dimension.later + Dimension.latest + Dimension.newest).map { $0.columnText(of: cell, in: metrics) }
    }
}
