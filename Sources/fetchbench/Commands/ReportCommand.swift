// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FetchBenchKit

/// `fetchbench report`: draws a stored run again.
struct ReportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "report", abstract: "Draw a stored run or comparison again, on standard output.",
        discussion: """
            Formats of runs: \(Usage.names(of: Formats.ofRuns)).
            Formats of comparisons: \(Usage.names(of: Formats.ofJudgements)), and csv (their trials).
            """)

    @Argument(help: ArgumentHelp("The folder of the run.", valueName: "run"))
    var folder: String
    @Option(help: ArgumentHelp("Formats, separated by commas.", valueName: "formats"))
    var format: [String] = ["table"]

    func validate() throws {
        let known = Formats.ofRuns.map { $0.name } + Formats.ofJudgements.map { $0.name }
        _ = try Usage.checked {
            try WordList.resolve(WordList.words(in: format), kind: "format", among: known, name: { $0 })
        }
    }

    func run() throws {
        let folder = RunFolder(existing: folder)
        let record = try RunStore.load(folder)
        for word in WordList.words(in: format) { try Console.answer(text(of: record, in: folder, as: word)) }
    }

    private func text(of record: RunRecord, in folder: RunFolder, as format: String) throws -> String {
        let ofRuns = record.kind.isPaired ? Formats.ofPairs : Formats.ofRuns
        // What was found is drawn again, where something was judged: json is the judgement, csv the trials.
        if record.kind == .comparison, let renderer = Formats.ofJudgements.first(where: { $0.name == format }) {
            return try renderer.text(of: RunStore.judgement(in: folder))
        }
        let renderer = try Usage.renderers(named: [format], among: ofRuns)[0]
        return try renderer.text(of: Report(record))
    }
}
