// SPDX-License-Identifier: Apache-2.0

import OperatingSystem
import Reports
import Texts

/// A format of behaviour reports.
package enum BehaviourFormat: String, CaseIterable, Sendable {
    case markdown, csv, json, html, table

    /// The formats of files.
    package static let stored: [BehaviourFormat] = [.markdown, .csv, .json, .html]

    /// The name of the file of a stored format.
    package var fileName: String { "behaviours." + (self == .markdown ? "md" : rawValue) }

    package func text(of report: BehaviourReport) throws -> String {
        switch self {
        case .csv: Self.csv(report)
        case .json: try JSONText.text(of: report, .readable)
        case .table, .markdown, .html: written(BehaviourDocument(report).document)
        }
    }

    package func text(of comparison: BehaviourComparison) throws -> String {
        switch self {
        case .csv: Self.csv(comparison)
        case .json: try JSONText.text(of: comparison, .readable)
        case .table, .markdown, .html: written(ComparisonDocument(comparison).document)
        }
    }

    /// Writes a document; for a terminal without breaking the rows, whose observations are long.
    private func written(_ document: (Document.Medium) -> Document) -> String {
        switch self {
        case .markdown: MarkdownWriter().text(of: document(.markdown))
        case .html: PageWriter.text(of: document(.page))
        default: TerminalWriter(width: .max).text(of: document(.terminal))
        }
    }

    private static func csv(_ comparison: BehaviourComparison) -> String {
        let rows = comparison.rows.map { row in
            [row.name, row.path, row.promise, row.change.rawValue, row.then?.rawValue ?? "", row.now?.rawValue ?? ""]
                + [row.detail]
        }
        let header = ["name", "path", "promise", "change", "then", "now", "detail"]
        return ([header] + rows).map(CSV.line).joined()
    }

    private static func csv(_ report: BehaviourReport) -> String {
        let header = [
            "name", "path", "promise", "word", "detail", "cause", "upstream", "accepts", "documented_by",
            "documented_at", "fixed_in", "workaround", "workaround_row",
        ]
        let rows = report.rows.map { row in
            let accepts = (row.accepts ?? []).map(\.rawValue).joined(separator: " ")
            return [row.name, row.path, row.promise, row.word.rawValue, row.detail, row.cause ?? ""]
                + [row.upstreamText ?? "", accepts, row.documentation?.text ?? "none"]
                + [row.documentation?.link ?? "", row.fixedIn ?? "", row.workaround?.text ?? ""]
                + [row.workaround?.row ?? ""]
        }
        return ([header] + rows).map(CSV.line).joined()
    }
}

extension BehaviourReport.Row {
    /// The issues upstream in one line, `none found`, or `nil` if there is nothing to look for.
    fileprivate var upstreamText: String? {
        guard let upstream else { return nil }
        let issues = upstream.map { "\($0.reference) \($0.stateText)" }
        return issues.isEmpty ? "none found" : issues.joined(separator: "; ")
    }
}

extension Documentation {
    /// The source, and its statement if it does not promise the behaviour.
    package var text: String { source + (says.map { " (no promise: \($0))" } ?? "") }
}
