// SPDX-License-Identifier: Apache-2.0

import MemProbe
import Runs
import Statistics
import Texts

/// Renders costs as CSV: one row for each program, with the median of each figure.
enum CostCSVRenderer {
    private static let header = ["program", "linkage", "mode", "n", "failure", "binary_bytes"]

    static func text(of table: CostTable) -> String {
        let rows = table.rows.map { row in
            [
                row.name, row.linkage.rawValue, row.mode ?? "", String(row.trials.count), row.failure?.reason ?? "",
                CSV.text(row.binary.map { Double($0.rawValue) }),
            ] + CostFigure.all.map { CSV.text(row.values(of: $0)?.median) }
        }
        // `CSV.line` escapes names and reasons, which come from outside, for terminals.
        return ([header + CostFigure.all.map(\.name)] + rows).map(CSV.line).joined()
    }
}
