// SPDX-License-Identifier: Apache-2.0

import FetchBenchKit
import Foundation

/// How a report can be drawn.
package enum BehaviourFormat: String, CaseIterable, Sendable {
    case markdown, csv, json

    /// The name of the file that holds it.
    package var fileName: String {
        switch self {
        case .markdown: "behaviours.md"
        case .csv: "behaviours.csv"
        case .json: "behaviours.json"
        }
    }

    /// The report in this form.
    package func text(of report: BehaviourReport) throws -> String {
        switch self {
        case .markdown: Self.markdown(report)
        case .csv: Self.csv(report)
        case .json: try Self.json(report)
        }
    }

    private static func markdown(_ report: BehaviourReport) -> String {
        var table = TextTable(["promise", "observed", "what was seen", "name"], words: 4)
        let toolchain = report.toolchain
        var text = """
            # What the fetch APIs do

            Swift \(toolchain.swift) (\(toolchain.build)), Linux \(toolchain.kernel), \(toolchain.libc), \
            \(toolchain.architecture); \(report.tool).
            Loaded: \(loaded(toolchain)).
            Each promise was tried in a process of its own against the embedded origin, and is judged by what the origin
            and the kernel saw and, where neither can see it, by what the caller reports.

            """
        if report.isIncomplete == true { text += "\n**Incomplete: interrupted before every promise was tried.**\n" }
        for path in report.paths {
            table.rows = report.rows.filter { $0.path == path }.map { row in
                [
                    SafeText.forMarkdown(row.promise), "**\(row.word.rawValue)**", SafeText.forMarkdown(row.detail),
                    SafeText.asCode(row.name),
                ]
            }
            text += "\n## \(SafeText.forMarkdown(path))\n\n" + table.markdown
        }
        return text
    }

    private static func loaded(_ toolchain: BehaviourReport.Toolchain) -> String {
        let compiler = toolchain.compiler.map { "the compiler that was asked: \($0)" } ?? "no compiler was asked"
        return SafeText.forMarkdown("\(toolchain.libcurl ?? "an unknown libcurl"); \(compiler)")
    }

    private static func csv(_ report: BehaviourReport) -> String {
        let header = ["name", "path", "promise", "word", "detail"]
        let rows = report.rows.map { [$0.name, $0.path, $0.promise, $0.word.rawValue, $0.detail] }
        return ([header] + rows).map(CSV.line).joined()
    }

    private static func json(_ report: BehaviourReport) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(report), as: UTF8.self) + "\n"
    }
}

extension BehaviourReport {
    /// The APIs in the order of their first rows.
    fileprivate var paths: [String] {
        rows.reduce(into: []) { paths, row in
            if !paths.contains(row.path) { paths.append(row.path) }
        }
    }
}
