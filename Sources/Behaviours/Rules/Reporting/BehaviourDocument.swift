// SPDX-License-Identifier: Apache-2.0

import Origin
import ProbeProtocol
import Reports
import Texts

/// A behaviour report as a document: on a page in one table that can be filtered, in Markdown by API, for a terminal
/// without what explains a row.
struct BehaviourDocument {
    private typealias Row = BehaviourReport.Row
    private typealias Cell = DocumentTable.Cell

    private let report: BehaviourReport
    private let names: Set<String>

    init(_ report: BehaviourReport) {
        self.report = report
        names = Set(report.rows.map(\.name))
    }

    func document(for medium: Document.Medium) -> Document {
        let summary = "\(report.count): \(report.counts)"
        var document = Document(title: "How the fetch APIs behave", answer: [])
        document.topic = nil
        guard medium != .terminal else {
            let table = table(of: report.rows) { Self.observed.contains($0) }
            document.sections = [
                DocumentSection("behaviours", "Behaviours", tables: [table], legend: [summary], isUntitled: true)
            ]
            return document
        }
        let isIncomplete = report.isIncomplete == true
        document.answer =
            [summary + "."] + (isIncomplete ? ["Incomplete: interrupted before every promise was tried."] : [])
        document.subtitle = report.machine
        document.isWide = true
        guard medium == .markdown else {
            let all = DocumentSection("behaviours", "Behaviours", tables: [table(of: report.rows) { _ in true }])
            document.sections = [all, Self.words, method]
            return document
        }
        let byPath = report.rows.grouped(by: \.path).map { path, rows in
            DocumentSection("behaviours", path, tables: [table(of: rows) { !Self.places.contains($0) }])
        }
        document.sections = [Self.words, method] + byPath
        return document
    }

    static let words = DocumentSection(
        "words", "Verdicts", items: Verdict.allCases.map { .init($0.rawValue, $0.meaning) })

    private var method: DocumentSection {
        var section = DocumentSection("method", "How they were tried")
        section.isFolded = true
        section.paragraphs = [
            "Loaded: \(report.loaded).",
            "Each promise was tested in a separate process against the embedded origin, and is judged by the observations of "
                + "the origin and the kernel and, if neither can see it, by the caller's report. Causes were read in the "
                + "released sources of swift-corelibs-foundation (swift-6.3.1-RELEASE) and async-http-client (1.37.0); they "
                + "are noted with each behaviour that differs here.",
        ]
        return section
    }
}

// MARK: - The table

extension BehaviourDocument {
    private static let observed = ["name", "observed", "observation"]
    private static let places = ["library", "API"]

    private func table(of rows: [Row], _ isWanted: (String) -> Bool) -> DocumentTable {
        let columns: [DocumentTable.Column<Row>] = [
            ("name", { Cell($0.name, link: "#row-" + $0.name) }), ("library", { Cell(APIName.library(of: $0.path)) }),
            ("API", { Cell($0.path) }), ("promise", { Cell($0.promise) }),
            ("documented by", { $0.documentation?.cell ?? Cell("none") }), ("observed", { Cell($0.word.rawValue) }),
            ("observation", { Cell($0.detail) }), ("cause", { Cell($0.cause ?? "") }),
            ("upstream", { $0.upstream.map(UpstreamIssue.cell(of:)) ?? Cell("") }),
            ("fixed in", { Cell($0.fixedIn ?? "") }), ("workaround", { $0.workaround.map(workaround) ?? Cell("") }),
        ]
        return DocumentTable(
            of: rows, columns.filter { isWanted($0.heading) }, choices: Self.places + ["observed"], name: \.name)
    }

    private func workaround(_ workaround: Workaround) -> Cell {
        guard let row = workaround.row else { return Cell(workaround.text) }
        return Cell(workaround.text + " (") + Cell(row, link: names.contains(row) ? "#row-" + row : nil) + Cell(")")
    }
}

extension Documentation {
    var cell: DocumentTable.Cell {
        DocumentTable.Cell(source, link: link) + DocumentTable.Cell(says.map { " (no promise: \($0))" } ?? "")
    }
}

extension UpstreamIssue {
    static func cell(of issues: [UpstreamIssue]) -> DocumentTable.Cell {
        let cells = issues.map {
            DocumentTable.Cell($0.reference, link: $0.link) + DocumentTable.Cell(" " + $0.stateText)
        }
        guard let first = cells.first else { return DocumentTable.Cell("none found") }
        return cells.dropFirst().reduce(first) { $0 + DocumentTable.Cell("; ") + $1 }
    }
}

extension DocumentTable {
    typealias Column<Value> = (heading: String, cell: (Value) -> Cell)

    init<Value>(of values: [Value], _ columns: [Column<Value>], choices: [String], name: KeyPath<Value, String>) {
        let columns = columns.filter { column in values.contains { !column.cell($0).text.isEmpty } }
        let rows = values.map { value in
            Row(columns.map { $0.cell(value) }, identifier: "row-" + value[keyPath: name])
        }
        self.init(
            "Behaviours", header: columns.map(\.heading), rows: rows,
            choices: Set(columns.indices.filter { choices.contains(columns[$0].heading) }))
    }
}

extension BehaviourReport {
    var count: String { ObservationText.count(rows.count, "row") }

    /// The number of rows of each word: `36 holds, 2 broken`.
    var counts: String {
        Verdict.allCases.compactMap { word in
            let count = rows.count { $0.word == word }
            return count == 0 ? nil : "\(count) \(word.rawValue)"
        }.joined(separator: ", ")
    }

    var machine: String {
        // The compiler knows its patch version, of which the language tells a program only the first two numbers.
        let swift = toolchain.compiler ?? "Swift \(toolchain.swift), patch version unknown as no compiler was asked"
        let commit = toolchain.commit.map { " at commit \($0)" } ?? ""
        return "\(swift), \(toolchain.build) build, Linux \(toolchain.kernel), \(toolchain.libc), "
            + "\(toolchain.architecture); \(tool)\(commit)"
    }

    fileprivate var loaded: String {
        let platform = toolchain.platform.map { "URLSession built on \($0)" } ?? "URLSession (build platform unknown)"
        return "\(toolchain.libcurl ?? "an unknown libcurl"); \(platform)"
    }
}

/// The figures of one attempt, without the individual requests.
package struct Figures: Codable, Hashable, Sendable {
    package var requests: Int
    package var mostConcurrent: Int
    package var connections: Int
    package var bytesSent: Int
    package var marks: [Reading]
    package var files: [SeenFile]
    package var facts: [String: [String: Int]]
    /// The lifetime of the child, in nanoseconds.
    package var duration: Int

    package init(_ evidence: Evidence) {
        requests = evidence.requests.count
        mostConcurrent = evidence.mostConcurrent
        connections = Set(evidence.requests.map(\.connection)).count
        bytesSent = evidence.bytesSent
        marks = evidence.marks
        files = evidence.files
        facts = evidence.facts.reduce(into: [:]) { $0[$1.name, default: [:]][$1.value, default: 0] += 1 }
        duration = evidence.duration
    }

    private enum CodingKeys: String, CodingKey {
        case requests, connections, marks, files, facts
        case mostConcurrent = "most_concurrent_requests"
        case bytesSent = "bytes_sent"
        case duration = "duration_ns"
    }
}
