// SPDX-License-Identifier: Apache-2.0

import MemProbe
import Runs
import Statistics
import Texts

/// Renders costs as a table; a cell with an arrow has the values at the start and after the first 1 KiB.
struct CostTableRenderer {
    private static let header = [
        "program", "mode", "linkage", "n", "start ms", "resident MiB", "anonymous", "file, private", "file, shared",
        "threads",
        "descriptors", "binary MiB", "libraries", "their files MiB",
    ]

    private let table: CostTable

    init(_ table: CostTable) {
        self.table = table
    }

    var plain: String {
        let notes = legend + failures.map { "failed: \($0)" } + table.doubts.map { "warning: \($0)" }
        return text(quoting: SafeText.forTerminal).plain + "\n"
            + notes.map { SafeText.forTerminal($0) + "\n" }.joined()
    }

    var markdown: String {
        let notes = failures.map { "Failed: \($0)." } + table.doubts.map { "Warning: \($0)." }
        let place = [
            table.environment.processor, "Linux \(table.environment.kernel)", "Swift \(table.environment.swift)",
        ].compactMap(\.self).joined(separator: ", ")
        return text(quoting: SafeText.asCode).markdown + "\n"
            + legend.map { SafeText.forMarkdown($0) + "\n" }.joined() + "\n"
            + SafeText.forMarkdown("\(table.tool), \(place), \(table.measuredAt).") + "\n"
            + notes.map { "\n" + SafeText.forMarkdown($0) + "\n" }.joined()
    }

    private var legend: [String] {
        [
            "Medians of \(table.trials) interleaved trials: at the start → after the first 1 KiB (one figure where both "
                + "are the same).",
            "Start: from the spawn to the program's first reading, ± the median absolute deviation. Private: mapped by this "
                + "process only at that moment; pages that other processes (such as fetchbench) also map are shared.",
        ]
    }

    private var failures: [String] {
        table.rows.compactMap { row in
            row.failure.map { "\(row.name) (\(row.declaredLinkage.rawValue)): \($0.reason)" }
        }
    }

    private func text(quoting quoted: (String) -> String) -> TextTable {
        var text = TextTable(Self.header, words: 3)
        for row in table.rows {
            text.rows.append(
                [
                    quoted(row.name), row.mode.map(quoted) ?? FigureText.absent, row.linkage.rawValue, count(of: row),
                    row.values(of: .startDuration)?.milliseconds ?? FigureText.absent,
                ]
                    + [CostReadingFigure.resident, .anonymous, .privateFile, .sharedFile].map { mebibytes($0, row) }
                    + [CostReadingFigure.threads, .descriptors].map { number($0, row) }
                    + [mebibytes(row.binary.map { Double($0.rawValue) })]
                    + [number(.libraries, row), mebibytes(.libraryFiles, row)])
        }
        return text
    }

    private func count(of row: CostRow) -> String {
        row.failure == nil ? "\(row.trials.count)" : "\(row.trials.count) (failed)"
    }

    private func mebibytes(_ bytes: Double?) -> String {
        bytes.map { ByteText.fixed($0 / 1_048_576, places: 1) } ?? FigureText.absent
    }

    private func mebibytes(_ figure: CostReadingFigure, _ row: CostRow) -> String {
        pair(figure, row) { mebibytes($0) }
    }

    private func number(_ figure: CostReadingFigure, _ row: CostRow) -> String {
        pair(figure, row) { $0.map { ByteText.fixed($0, places: $0 == $0.rounded() ? 0 : 1) } ?? FigureText.absent }
    }

    private func pair(_ figure: CostReadingFigure, _ row: CostRow, _ text: (Double?) -> String) -> String {
        let (start, fetched) = (
            text(row.values(of: figure.start)?.median), text(row.values(of: figure.fetched)?.median)
        )
        return start == fetched ? start : "\(start) → \(fetched)"
    }
}
