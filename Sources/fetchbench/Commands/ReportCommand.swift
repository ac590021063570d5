// SPDX-License-Identifier: Apache-2.0

import CommandConsole
import Judging
import Reports

/// `fetchbench report`: renders a stored run again.
struct ReportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "report",
        abstract: "Print a stored run, check, comparison, calibration or search for limits again.",
        discussion: """
            fetchbench report results/20260101T120000Z-local
            fetchbench report results/20260101T120000Z-local --format html > report.html

            Formats of runs: \(Usage.names(of: Formats.ofRuns)).
            Formats of comparisons: \(Usage.names(of: Formats.ofJudgements)), and csv (their trials).
            Formats of checks: those of runs, and those of judgements that runs do not have.
            Formats of calibrations: \(Usage.names(of: Formats.ofCalibrations)), and csv.
            Formats of `survive`: \(Usage.names(of: Formats.ofSurvival)).
            """)

    @Argument(help: ArgumentHelp("Folder of the run.", valueName: "run"), completion: .directory)
    var folder: String
    @Option(
        help: ArgumentHelp("Output formats, separated by commas.", valueName: "formats"),
        completion: .list(Formats.ofRuns.map { $0.name }))
    var format: [String] = ["table"]

    @OptionGroup var color: ColorOptions

    func validate() throws {
        let known = WordList.words(in: Formats.ofRuns.map { $0.name } + Formats.ofJudgements.map { $0.name })
        _ = try Usage.formats(format, among: known) { $0 }
    }

    func run() throws {
        let folder = RunFolder(existing: folder)
        let record = try RunStore.load(folder)
        for word in WordList.words(in: format) {
            if !record.kind.isPaired, word == Formats.stored {
                try RunStore.passOn(record, from: folder) { try Console.answer(part: $0) }
            } else {
                try Console.answer(pieces(of: record, in: folder, as: word), in: color.color.of(word))
            }
        }
    }

    private func pieces(of record: RunRecord, in folder: RunFolder, as format: String) throws -> TextPieces {
        let ofRuns = (record.kind.isPaired ? Formats.ofPairs : Formats.ofRuns).first { $0.name == format }
        let ofJudgements = Formats.ofJudgements.first { $0.name == format }
        let ofCalibrations = Formats.ofCalibrations.first { $0.name == format }
        switch record.kind {
        case .run: break
        case .check:
            // The page of a check includes its run; a check interrupted before its verdict has the run alone.
            let isPage = ofJudgements?.file == .page && folder.has(.judgement)
            if ofRuns == nil || isPage, let ofJudgements {
                return try ofJudgements.pieces(of: judgement(of: record, in: folder))
            }
        case .comparison:
            if let ofJudgements { return try ofJudgements.pieces(of: judgement(of: record, in: folder)) }
        case .calibration:
            if let ofCalibrations { return try ofCalibrations.pieces(of: RunStore.calibration(in: folder)) }
        case .survival:
            let table = try RunStore.survival(in: folder)
            if let wanted = Formats.ofSurvival.first(where: { $0.name == format }) {
                return try wanted.pieces(of: table)
            }
        }
        guard let ofRuns, record.kind != .survival else {
            throw FetchBenchError.nothingToDraw(
                name: record.identifier, reason: "no \(format): it is a \(record.kind.rawValue)")
        }
        return try ofRuns.pieces(of: Report(record, in: folder))
    }

    private func judgement(of record: RunRecord, in folder: RunFolder) throws -> Judgement {
        var judgement = try RunStore.judgement(in: folder)
        judgement.evidence = JudgementEvidence(run: record, folder: folder)
        return judgement
    }
}
