// SPDX-License-Identifier: Apache-2.0

import Runs

/// Costs as a table; a cell with an arrow has the values at the start and after the first 1 KiB.
struct CostDocument {
    private static let header = [
        "program", "mode", "linkage", "n", "start ms", "resident MiB", "anonymous", "file, private", "file, shared",
        "threads", "descriptors", "binary MiB", "libraries", "their files MiB",
    ]

    private let table: CostTable

    init(_ table: CostTable) { self.table = table }

    var document: Document {
        let machine = table.environment
        let place = [machine.processor, "Linux \(machine.kernel)", "Swift \(machine.swift)"].compactMap(\.self)
        let section = DocumentSection(
            "costs", "Costs before the first fetch",
            tables: [DocumentTable("Costs of each program", text, subject: "program", counts: ["n"])],
            items: table.rows.compactMap { row in
                row.failure.map { .init("failed", "\(row.name) (\(row.declaredLinkage.rawValue)): \($0.message)") }
            } + table.doubts.map { .init("warning", $0) }, legend: legend, isUntitled: true)
        var document = Document(title: "What a client library costs", answer: [], sections: [section])
        document.subtitle = "\(table.tool), \(place.joined(separator: ", ")), \(table.measuredAt)"
        return document
    }

    private var legend: [String] {
        [
            "Medians of \(table.trials) interleaved trials: at the start → after the first 1 KiB (one figure where both "
                + "are the same).",
            "Start: from the spawn to the program's first reading, ± the median absolute deviation. Private: mapped by this "
                + "process only at that moment; pages that other processes (such as fetchbench) also map are shared.",
        ]
    }

    private var text: TextTable {
        var text = TextTable(Self.header, words: 3)
        for row in table.rows {
            let failed = row.failure == nil ? "" : " (failed)"
            text.rows.append(
                [
                    row.name, row.mode ?? FigureText.absent, row.linkage.rawValue, "\(row.trials.count)\(failed)",
                    row.values(of: .startDuration)?.milliseconds ?? FigureText.absent,
                ]
                    + [CostTable.ReadingFigure.resident, .anonymous, .privateFile, .sharedFile].map {
                        mebibytes($0, row)
                    }
                    + [CostTable.ReadingFigure.threads, .descriptors].map { number($0, row) }
                    + [mebibytes(row.binary.map { Double($0.rawValue) })]
                    + [number(.libraries, row), mebibytes(.libraryFiles, row)])
        }
        return text
    }

    private func mebibytes(_ bytes: Double?) -> String {
        bytes.map { ByteText.fixed($0 / 1_048_576, places: 1) } ?? FigureText.absent
    }

    private func mebibytes(_ figure: CostTable.ReadingFigure, _ row: CostRow) -> String {
        pair(figure, row) { mebibytes($0) }
    }

    private func number(_ figure: CostTable.ReadingFigure, _ row: CostRow) -> String {
        pair(figure, row) { $0.map { ByteText.fixed($0, places: $0 == $0.rounded() ? 0 : 1) } ?? FigureText.absent }
    }

    private func pair(_ figure: CostTable.ReadingFigure, _ row: CostRow, _ text: (Double?) -> String) -> String {
        let start = text(row.values(of: figure.start)?.median)
        let fetched = text(row.values(of: figure.fetched)?.median)
        return start == fetched ? start : "\(start) → \(fetched)"
    }
}

extension CostTable {
    private static let columns = ["program", "linkage", "mode", "n", "failure", "binary_bytes"]

    /// The costs as CSV: one row for each program, with the median of each figure.
    var csv: String {
        let rows = rows.map { row in
            [
                row.name, row.linkage.rawValue, row.mode ?? "", String(row.trials.count), row.failure?.message ?? "",
                CSV.text(row.binary.map { Double($0.rawValue) }),
            ] + Figure.all.map { CSV.text(row.values(of: $0)?.median) }
        }
        // `CSV.line` escapes names and reasons, which come from outside, for terminals.
        return ([Self.columns + Figure.all.map(\.name)] + rows).map(CSV.line).joined()
    }
}

/// Renders costs as JSON: the median and spread of each figure, and the loaded libraries of each program.
enum CostJSONRenderer {
    static func text(of table: CostTable) -> String {
        let document: JSONValue = [
            "schema": 1, "tool": .text(table.tool), "measured_at": .text(table.measuredAt),
            "trials": .whole(table.trials), "seed": .coded(table.seed), "environment": .coded(table.environment),
            "programs": .list(table.rows.map(value)), "warnings": .list(table.doubts.map(JSONValue.text)),
        ]
        return JSONText.pretty(document)
    }

    private static func value(of row: CostRow) -> JSONValue {
        // The libraries that are loaded after the first 1 KiB, without their folders.
        let libraries = row.trials.last?.fetched.inventory.libraries
        return [
            "name": .text(row.name), "linkage": .text(row.linkage.rawValue), "mode": row.mode.map(JSONValue.text),
            "trials": .whole(row.trials.count), "failure": row.failure.map { .text($0.message) },
            "binary_bytes": row.binary.map { .whole($0.rawValue) },
            "figures": .object(
                CostTable.Figure.all.map { figure in
                    (figure.name, row.values(of: figure).map { JSONValue(figure.unit, $0) })
                }),
            "libraries": libraries.map { .list($0.map { PathText.name(of: $0.path) }.sorted().map(JSONValue.text)) },
        ]
    }
}
