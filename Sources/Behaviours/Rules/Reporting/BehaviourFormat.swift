// SPDX-License-Identifier: Apache-2.0

import OperatingSystem
import Texts

/// A format of behaviour reports.
package enum BehaviourFormat: String, CaseIterable, Sendable {
    case markdown, csv, json

    package var fileName: String {
        switch self {
        case .markdown: "behaviours.md"
        case .csv: "behaviours.csv"
        case .json: "behaviours.json"
        }
    }

    package func text(of report: BehaviourReport) throws -> String {
        switch self {
        case .markdown: Self.markdown(report)
        case .csv: Self.csv(report)
        case .json: try JSONText.text(of: report, .readable)
        }
    }

    private static func markdown(_ report: BehaviourReport) -> String {
        let toolchain = report.toolchain
        var text = """
            # What the fetch APIs do

            \(SafeText.forMarkdown(machine(report))).
            Loaded: \(loaded(toolchain)).
            Each promise was tried in a process of its own against the embedded origin, and is judged by what the origin
            and the kernel saw and, where neither can see it, by what the caller reports.
            Causes were read in the released sources of swift-corelibs-foundation (swift-6.3.1-RELEASE) and
            async-http-client (1.37.0); they stand beside what does not hold here.

            """
        text += Word.allCases.map { "- **\($0.rawValue)**: \($0.meaning)\n" }.reduce("\n", +)
        if report.isIncomplete == true { text += "\n**Incomplete: interrupted before every promise was tried.**\n" }
        for path in report.paths {
            let rows = report.rows.filter { $0.path == path }
            let hasCauses = rows.contains { $0.cause != nil }
            let header =
                ["promise", "observed", "what was seen"] + (hasCauses ? ["cause", "upstream"] : []) + ["name"]
            var table = TextTable(header, words: header.count)
            table.rows = rows.map { row in
                let causes = [row.cause ?? "", row.upstream ?? ""].map(SafeText.forMarkdown)
                return [
                    SafeText.forMarkdown(row.promise), "**\(row.word.rawValue)**", SafeText.forMarkdown(row.detail),
                ]
                    + (hasCauses ? causes : []) + [SafeText.asCode(row.name)]
            }
            text += "\n## \(SafeText.forMarkdown(path))\n\n" + table.markdown
        }
        return text
    }

    private static func machine(_ report: BehaviourReport) -> String {
        let toolchain = report.toolchain
        return "Swift \(toolchain.swift) (\(toolchain.build)), Linux \(toolchain.kernel), \(toolchain.libc), "
            + "\(toolchain.architecture); \(report.tool)"
    }

    private static func loaded(_ toolchain: BehaviourReport.Toolchain) -> String {
        let compiler = toolchain.compiler.map { "the compiler that was asked: \($0)" } ?? "no compiler was asked"
        let platform =
            toolchain.platform.map { "a URLSession that was built on \($0)" } ?? "a URLSession built nobody knows where"
        return SafeText.forMarkdown("\(toolchain.libcurl ?? "an unknown libcurl"); \(platform); \(compiler)")
    }

    private static func csv(_ report: BehaviourReport) -> String {
        let header = ["name", "path", "promise", "word", "detail", "cause", "upstream", "accepts"]
        let rows = report.rows.map { row in
            [row.name, row.path, row.promise, row.word.rawValue, row.detail, row.cause ?? "", row.upstream ?? ""]
                + [(row.accepts ?? []).map(\.rawValue).joined(separator: " ")]
        }
        return ([header] + rows).map(CSV.line).joined()
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
