// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FetchBenchKit

/// `fetchbench report`: draws a stored run again.
struct ReportCommand: ParsableCommand {
    /// How a run can be drawn.
    enum Format: String, CaseIterable {
        case table, markdown, csv, summary, slopes, json
    }

    static let configuration = CommandConfiguration(
        commandName: "report", abstract: "Draw a stored run again, on standard output.",
        discussion:
            "Formats: table (the summary), markdown, csv (trials), summary (CSV), slopes (CSV of a sweep of sizes), json."
    )

    @Argument(help: ArgumentHelp("The folder of the run.", valueName: "run"))
    var folder: String

    @Option(help: ArgumentHelp("Formats, separated by commas.", valueName: "formats"))
    var format: [String] = ["table"]

    func validate() throws {
        _ = try formats()
    }

    func run() throws {
        let record = try RunStore.load(RunFolder(existing: folder))
        for format in try formats() {
            try Console.answer(text(of: record, as: format))
        }
    }

    private func formats() throws -> [Format] {
        try WordList.resolve(
            WordList.words(in: format), kind: "format", among: Format.allCases, name: \.rawValue)
    }

    private func text(of record: RunRecord, as format: Format) throws -> String {
        switch format {
        case .table: TerminalRenderer().text(of: Report(record))
        case .markdown: MarkdownRenderer().text(of: Report(record))
        case .csv: TrialsTable.text(of: record.trials)
        case .summary: SummaryTable.text(of: record)
        case .slopes: try slopes(of: record)
        case .json: try RunStore.text(of: record)
        }
    }

    private func slopes(of record: RunRecord) throws -> String {
        guard let text = SlopesTable.text(of: SizeSweep.all(in: record)) else {
            Console.complain(
                "run \(record.identifier) has no sweep: a slope needs completed trials of "
                    + "\(SizeSweep.fewestSizes) sizes of one kind of asset")
            throw ExitStatus.noAnswer
        }
        return text
    }
}
