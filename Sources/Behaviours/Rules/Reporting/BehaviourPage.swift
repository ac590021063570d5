// SPDX-License-Identifier: Apache-2.0

import Texts

/// A behaviour report as a page of Markdown.
enum BehaviourPage {
    static func markdown(_ report: BehaviourReport) -> String {
        var text = """
            # How the fetch APIs behave

            **\(report.count)**: \(report.counts).

            \(SafeText.forMarkdown(report.machine)).
            Loaded: \(SafeText.forMarkdown(report.loaded)).
            \(method)

            """
        text += Verdict.allCases.map { "- **\($0.rawValue)**: \($0.meaning)\n" }.reduce("\n", +)
        if report.isIncomplete == true { text += "\n**Incomplete: interrupted before every promise was tried.**\n" }
        for path in report.paths {
            text +=
                "\n## \(SafeText.forMarkdown(path))\n\n" + table(of: report.rows.filter { $0.path == path }).markdown
        }
        return text
    }

    private static func table(of rows: [BehaviourReport.Row]) -> TextTable {
        let hasCauses = rows.contains { $0.cause != nil }
        let header =
            ["promise", "documented by", "observed", "observation"]
            + (hasCauses ? ["cause", "upstream", "fixed in", "workaround"] : []) + ["name"]
        var table = TextTable(header, words: header.count)
        table.rows = rows.map { row in
            let told = [
                SafeText.forMarkdown(row.promise), row.documentation.map(source) ?? "none",
                "**\(row.word.rawValue)**", SafeText.forMarkdown(row.detail),
            ]
            let causes = [
                SafeText.forMarkdown(row.cause ?? ""), row.upstream.map(issues) ?? "",
                SafeText.forMarkdown(row.fixedIn ?? ""), row.workaround.map(workaround) ?? "",
            ]
            return told + (hasCauses ? causes : []) + [SafeText.asCode(row.name)]
        }
        return table
    }

    static func source(_ documentation: Documentation) -> String {
        link(documentation.source, to: documentation.link)
            + SafeText.forMarkdown(documentation.says.map { " (no promise: \($0))" } ?? "")
    }

    static func issues(_ issues: [UpstreamIssue]) -> String {
        guard !issues.isEmpty else { return "none found" }
        return issues.map { link($0.reference, to: $0.link) + " " + SafeText.forMarkdown($0.stateText) }
            .joined(separator: "; ")
    }

    private static func workaround(_ workaround: Workaround) -> String {
        SafeText.forMarkdown(workaround.text) + (workaround.row.map { " (\(SafeText.asCode($0)))" } ?? "")
    }

    /// Returns a link; brackets in its address would end it.
    private static func link(_ text: String, to address: String) -> String {
        let address = address.reduce(into: "") { $0 += $1 == "(" ? "%28" : $1 == ")" ? "%29" : String($1) }
        return "[\(SafeText.forMarkdown(text))](\(address))"
    }

    /// The way in which rows were observed and causes found.
    static let method = """
        Each promise was tested in a separate process against the embedded origin, and is judged by the
        observations of the origin and the kernel and, if neither can see it, by the caller's report.
        Causes were read in the released sources of swift-corelibs-foundation (swift-6.3.1-RELEASE) and
        async-http-client (1.37.0); they are noted with each behaviour that differs here.
        """
}

extension BehaviourReport {
    /// The number of rows: `65 rows`.
    var count: String { ObservationText.count(rows.count, "row") }

    /// The number of rows of each word: `36 holds, 2 broken`.
    var counts: String {
        Verdict.allCases.compactMap { word in
            let count = rows.count { $0.word == word }
            return count == 0 ? nil : "\(count) \(word.rawValue)"
        }.joined(separator: ", ")
    }

    /// The toolchain and the machine in one line.
    var machine: String {
        // The compiler knows its patch version, of which the language tells a program only the first two numbers.
        let swift = toolchain.compiler ?? "Swift \(toolchain.swift), patch version unknown as no compiler was asked"
        let commit = toolchain.commit.map { " at commit \($0)" } ?? ""
        return "\(swift), \(toolchain.build) build, Linux \(toolchain.kernel), \(toolchain.libc), "
            + "\(toolchain.architecture); \(tool)\(commit)"
    }

    /// The loaded libraries in one line.
    var loaded: String {
        let platform = toolchain.platform.map { "URLSession built on \($0)" } ?? "URLSession (build platform unknown)"
        return "\(toolchain.libcurl ?? "an unknown libcurl"); \(platform)"
    }

    /// The APIs in the order of their first rows.
    fileprivate var paths: [String] {
        rows.reduce(into: []) { paths, row in
            if !paths.contains(row.path) { paths.append(row.path) }
        }
    }
}
