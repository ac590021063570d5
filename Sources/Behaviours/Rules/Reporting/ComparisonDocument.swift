// SPDX-License-Identifier: Apache-2.0

import Reports
import Texts

/// The differences between two behaviour reports as a document; a page has the rows that are the same as well.
struct ComparisonDocument {
    private typealias Cell = DocumentTable.Cell

    private let comparison: BehaviourComparison

    init(_ comparison: BehaviourComparison) {
        self.comparison = comparison
    }

    func document(for medium: Document.Medium) -> Document {
        var document = Document(title: "Changes in the fetch APIs", answer: [])
        document.topic = nil
        document.isWide = true
        let toolchains = DocumentSection(
            "toolchains", "Toolchains", tables: [DocumentTable("Toolchains", versions)], isUntitled: true)
        let differing = BehaviourComparison.Change.allCases.filter { $0 != .same }.flatMap { change in
            comparison.rows.filter { $0.change == change }
        }
        let isPage = medium == .page
        let shown = isPage ? comparison.rows : differing
        var rows = DocumentSection("behaviours", isPage ? "Behaviours" : "Rows that differ", isUntitled: true)
        rows.tables = [table(of: shown) { isPage || !Self.places.contains($0) }]
        switch medium {
        case .terminal:
            rows.legend = [comparison.counts]
            document.sections = [rows, toolchains]
        case .markdown:
            rows.paragraphs = differing.isEmpty ? ["None."] : []
            document.answer = [comparison.counts + "."]
            document.sections = [toolchains, rows]
        case .page:
            document.answer = [comparison.counts + "."]
            document.sections = [rows, toolchains, BehaviourDocument.words]
        }
        return document
    }

    private static let places = ["library", "API", "promise"]

    /// Returns the table of the columns whose heading is wanted.
    private func table(of rows: [BehaviourComparison.Row], _ isWanted: (String) -> Bool) -> DocumentTable {
        let columns: [DocumentTable.Column<BehaviourComparison.Row>] = [
            ("change", { Cell($0.change.rawValue) }), ("name", { Cell($0.name) }),
            ("library", { Cell(APIName.library(of: $0.path)) }), ("API", { Cell($0.path) }),
            ("promise", { Cell($0.promise) }), ("then", { Cell($0.then?.rawValue ?? "") }),
            ("now", { Cell($0.now?.rawValue ?? "") }), ("observation", { Cell($0.detail) }),
        ]
        return DocumentTable(
            of: rows, columns.filter { isWanted($0.heading) }, choices: ["change", "library", "API", "then", "now"],
            name: \.name)
    }

    private var versions: TextTable {
        var table = TextTable(["", "then", "now"], words: 3)
        table.rows = comparison.toolchain.map { [$0.name, $0.then ?? "unknown", $0.now ?? "unknown"] }
        return table
    }
}
