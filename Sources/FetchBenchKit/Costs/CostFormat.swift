// SPDX-License-Identifier: Apache-2.0

/// How costs are written.
package enum CostFormat: String, CaseIterable, Sendable {
    case table, markdown, csv, json

    /// The costs in this format.
    package func text(of table: CostTable) -> String {
        switch self {
        case .table: CostTableRenderer(table).plain
        case .markdown: CostTableRenderer(table).markdown
        case .csv: CostCSVRenderer.text(of: table)
        case .json: CostJSONRenderer.text(of: table)
        }
    }
}
