// SPDX-License-Identifier: Apache-2.0

import Reports
import Texts

/// The differences between two behaviour reports in each format.
enum ComparisonPage {
    static func text(of comparison: BehaviourComparison, as format: BehaviourFormat) throws -> String {
        switch format {
        case .markdown: markdown(comparison)
        case .csv: csv(comparison)
        case .json: try JSONText.text(of: comparison, .readable)
        case .html: PageWriter.text(of: page(comparison))
        case .table: plain(comparison)
        }
    }

    private static let title = "Changes in the fetch APIs"

    private static func plain(_ comparison: BehaviourComparison) -> String {
        let table = rows(comparison) { $0 }
        return (table.rows.isEmpty ? "" : table.plain + "\n") + "\(comparison.counts)\n\n"
            + versions(comparison) { $0 }.plain
    }

    private static func markdown(_ comparison: BehaviourComparison) -> String {
        let table = rows(comparison, SafeText.forMarkdown)
        return "# \(title)\n\n**\(SafeText.forMarkdown(comparison.counts))**.\n\n## Toolchains\n\n"
            + versions(comparison, SafeText.forMarkdown).markdown + "\n## Rows that differ\n\n"
            + (table.rows.isEmpty ? "None.\n" : table.markdown)
    }

    private static func csv(_ comparison: BehaviourComparison) -> String {
        let rows = comparison.rows.map { row in
            [row.name, row.path, row.promise, row.change.rawValue, row.then?.rawValue ?? "", row.now?.rawValue ?? ""]
                + [row.detail]
        }
        let header = ["name", "path", "promise", "change", "then", "now", "detail"]
        return ([header] + rows).map(CSV.line).joined()
    }

    private static func page(_ comparison: BehaviourComparison) -> Document {
        let rows = comparison.rows.map { row in
            DocumentTable.Row(
                [
                    row.name, APIName.library(of: row.path), row.path, row.promise, row.change.rawValue,
                    row.then?.rawValue ?? "", row.now?.rawValue ?? "", row.detail,
                ].map { BehaviourHTML.cell($0) }, identifier: "row-" + row.name)
        }
        var behaviours = DocumentSection("behaviours", "Behaviours")
        behaviours.tables = [
            DocumentTable(
                "Behaviours",
                header: ["name", "library", "API", "promise", "change", "then", "now", "observation"], rows: rows,
                choices: [1, 2, 4, 5, 6])
        ]
        var toolchains = DocumentSection("toolchains", "Toolchains")
        toolchains.tables = [DocumentTable("Toolchains", versions(comparison) { $0 })]
        var document = Document(
            title: title, answer: ["\(comparison.counts)."], sections: [behaviours, toolchains, BehaviourHTML.words])
        document.isWide = true
        return document
    }

    /// Returns the rows that differ, in the order of changes.
    private static func rows(_ comparison: BehaviourComparison, _ escape: (String) -> String) -> TextTable {
        var table = TextTable(["change", "name", "then", "now", "observation"], words: 5)
        table.rows = BehaviourComparison.Change.allCases.filter { $0 != .same }.flatMap { change in
            comparison.rows.filter { $0.change == change }.map { row in
                [change.rawValue, row.name, row.then?.rawValue ?? "", row.now?.rawValue ?? "", row.detail].map(escape)
            }
        }
        return table
    }

    private static func versions(_ comparison: BehaviourComparison, _ escape: (String) -> String) -> TextTable {
        var table = TextTable(["", "then", "now"], words: 3)
        table.rows = comparison.toolchain.map { [$0.name, $0.then ?? "unknown", $0.now ?? "unknown"].map(escape) }
        return table
    }
}
