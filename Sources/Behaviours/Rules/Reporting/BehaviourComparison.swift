// SPDX-License-Identifier: Apache-2.0

import Reports
import Texts

/// The differences between an earlier behaviour report and a later one.
package struct BehaviourComparison: Codable, Hashable, Sendable {
    package enum Change: String, Codable, CaseIterable, Hashable, Sendable {
        case better, worse
        case other = "not kept in another way"
        case same = "the same"
        case notCompared = "not compared"
        case onlyThen = "only in the earlier table"
        case onlyNow = "only in this table"

        package var isChange: Bool { self == .better || self == .worse || self == .other }
    }

    package struct Row: Codable, Hashable, Sendable {
        package var name: String
        package var path: String
        package var promise: String
        package var change: Change
        package var then: Verdict?
        package var now: Verdict?
        package var detail: String

        fileprivate init?(from then: BehaviourReport.Row?, to now: BehaviourReport.Row?) {
            guard let row = now ?? then else { return nil }
            (name, path, promise, detail) = (row.name, row.path, row.promise, row.detail)
            (self.then, self.now) = (then?.word, now?.word)
            change =
                if let then, let now {
                    Change(from: then, to: now.word)
                } else {
                    then == nil ? .onlyNow : .onlyThen
                }
        }
    }

    package struct Part: Codable, Hashable, Sendable {
        package var name: String
        package var then: String?
        package var now: String?

        package var isSame: Bool { then == now }
    }

    package enum Answer: Hashable, Sendable {
        case same
        case changed
        /// None changed, but some could not be compared.
        case incomplete
    }

    package var schema: Int
    package var toolchain: [Part]
    package var rows: [Row]

    /// - Parameter isWhole: True if every row of the earlier report has to be in the later one.
    package init(from then: BehaviourReport, to now: BehaviourReport, isWhole: Bool) {
        schema = BehaviourReport.currentSchema
        toolchain = Part.all(then.toolchain, now.toolchain)
        rows = now.rows.compactMap { row in
            Row(from: then.rows.first { $0.name == row.name }, to: row)
        }
        guard isWhole else { return }
        let names = Set(now.rows.map(\.name))
        rows += then.rows.filter { !names.contains($0.name) }.compactMap { Row(from: $0, to: nil) }
    }

    package var changedNames: Set<String> { Set(rows.filter(\.change.isChange).map(\.name)) }

    package var answer: Answer {
        if rows.contains(where: \.change.isChange) { return .changed }
        return rows.contains { $0.change != .same } ? .incomplete : .same
    }

    /// The differences between two behaviour reports as a document; a page has the rows that are the same as well.
    struct ComparisonDocument {
        private typealias Cell = DocumentTable.Cell

        private let comparison: BehaviourComparison

        init(_ comparison: BehaviourComparison) { self.comparison = comparison }

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

        private func table(of rows: [BehaviourComparison.Row], _ isWanted: (String) -> Bool) -> DocumentTable {
            let columns: [DocumentTable.Column<BehaviourComparison.Row>] = [
                ("change", { Cell($0.change.rawValue) }), ("name", { Cell($0.name) }),
                ("library", { Cell(APIName.library(of: $0.path)) }), ("API", { Cell($0.path) }),
                ("promise", { Cell($0.promise) }), ("then", { Cell($0.then?.rawValue ?? "") }),
                ("now", { Cell($0.now?.rawValue ?? "") }), ("observation", { Cell($0.detail) }),
            ]
            return DocumentTable(
                of: rows, columns.filter { isWanted($0.heading) },
                choices: ["change", "library", "API", "then", "now"],
                name: \.name)
        }

        private var versions: TextTable {
            var table = TextTable(["", "then", "now"], words: 3)
            table.rows = comparison.toolchain.map { [$0.name, $0.then ?? "unknown", $0.now ?? "unknown"] }
            return table
        }
    }
}

extension BehaviourComparison.Change {
    /// Compares words; those that an expectation accepts are equal, and so are those of kept behaviours.
    fileprivate init(from then: BehaviourReport.Row, to now: Verdict) {
        if then.word == .notTried || now == .notTried {
            self = .notCompared
        } else if now == then.word || (now.isKept && then.word.isKept) || (then.accepts ?? []).contains(now) {
            self = .same
        } else {
            self = now.isKept ? .better : then.word.isKept ? .worse : .other
        }
    }
}

extension BehaviourComparison.Part {
    fileprivate static func all(
        _ then: BehaviourReport.Toolchain, _ now: BehaviourReport.Toolchain
    ) -> [BehaviourComparison.Part] {
        [
            Self(name: "Swift", then: then.swift, now: now.swift),
            // The version is unknown if no compiler was used.
            Self(name: "the compiler", then: then.compiler ?? now.compiler, now: now.compiler ?? then.compiler),
            Self(name: "the platform it was built on", then: then.platform, now: now.platform),
            Self(name: "libcurl", then: then.libcurl, now: now.libcurl),
            Self(name: "libc", then: then.libc, now: now.libc),
            Self(name: "the kernel", then: then.kernel, now: now.kernel),
            Self(name: "the architecture", then: then.architecture, now: now.architecture),
        ]
    }
}

extension BehaviourComparison {
    /// The number of rows of each change: `1 better, 0 worse, …`.
    package var counts: String {
        let compared: [Change] = [.better, .worse, .other, .same]
        let counts = compared.map { change in "\(rows.count { $0.change == change }) \(change.rawValue)" }
        return (counts + ["\(rows.count { !compared.contains($0.change) }) not compared"]).joined(separator: ", ")
    }

    package var toolchainText: String {
        let parts = toolchain.filter { !$0.isSame }.map {
            "\($0.name): \($0.then ?? "unknown") then, \($0.now ?? "unknown") now"
        }
        return parts.isEmpty
            ? "the expectation is of the same toolchain"
            : "the toolchain is another one: " + parts.joined(separator: "; ")
    }

    /// One line for each difference, and the counts; empty if nothing differs.
    package var lines: [String] {
        guard answer != .same else { return [] }
        let changed = rows.filter { $0.change.isChange }
        let open = rows.filter { !$0.change.isChange && $0.change != .same }
        return (changed + open).map(\.line) + ["compared with the expectation: " + counts, toolchainText]
    }
}

extension BehaviourComparison.Row {
    fileprivate var line: String {
        let (then, now) = (then?.rawValue ?? "", now?.rawValue ?? "")
        return switch change {
        case .better, .worse, .other, .same: "\(name): was \(then), is \(now) now (\(change.rawValue)): \(detail)"
        case .notCompared: "\(name): expected \(then), now \(now): \(detail)"
        case .onlyNow: "\(name): not in the expectation; observed now: \(now)"
        case .onlyThen: "\(name): expected, and not known here"
        }
    }
}
