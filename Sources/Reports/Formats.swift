// SPDX-License-Identifier: Apache-2.0

import Charts
package import Judging
package import Runs

/// The lists of formats for `--format`, help texts, `fetchbench list formats` and the files of a run.
///
/// A format of a few lines is a value here; others are types with a line here.
package enum Formats {
    package static let ofRuns: [any TextRenderer<Report>] =
        [
            runTable, runMarkdown,
            Format("csv", "one row a trial", file: .trials) { TrialsTable.text(of: $0.run) },
            Format("summary", "one row for each metric of each case, as CSV", file: .summary) {
                SummaryTable.text(of: $0)
            },
            Format("slopes", "one row for each sweep of sizes, as CSV", file: .slopes) {
                report in
                guard let text = SlopesTable.text(of: report) else { throw noSweep(in: report.run) }
                return text
            },
            RunRenderer(),
            CommandsJSONRenderer(), runPage,
            Format("answer-svg", "savings of a download task, as a picture for a document") {
                report in
                guard let picture = PeakPictures(report).answer else {
                    throw FetchBenchError.nothingToDraw(
                        name: report.run.identifier, reason: "no answer: one of its four cases has no figure")
                }
                return picture.document
            },
            Format("slopes-svg", "growth by size, as a picture for a document") {
                report in
                guard let picture = report.slopePictures.first else { throw Formats.noSweep(in: report.run) }
                return picture.document
            },
        ]

    /// Formats for commands, which fetch nothing.
    package static let ofCommands = ofRuns.filter { !["slopes", "slopes-svg", "answer-svg"].contains($0.name) }

    package static let runTable = Format<Report>(
        "table", "the answer first, then the table of all cases, how to read it, the warnings"
    ) {
        report in
        TerminalWriter().text(of: try RunDocument(report).document(for: .terminal))
    }
    package static let runMarkdown = Format<Report>(
        "markdown", "the answer first, then the tables and warnings", file: .report
    ) {
        report in
        MarkdownWriter().text(of: try RunDocument(report).document(for: .markdown))
    }
    package static let runPage = Format<Report>(
        "html", "one page with pictures, for a browser, that asks for nothing from elsewhere", file: .page
    ) { report in
        PageWriter.text(of: try RunDocument(report).document(for: .page))
    }

    /// Formats for the trials of pairs, without tables of medians, which would mix the two sides.
    package static let ofPairs = ofRuns.filter { ["csv", "json"].contains($0.name) }

    package static let stored = RunRenderer().name

    package static let ofJudgements: [any TextRenderer<Judgement>] = [
        judgementTable(), judgementMarkdown, JUnitRenderer(), AnnotationRenderer(), JudgementJSONRenderer(),
        BencherRenderer(), SmallerIsBetterRenderer(), OpenMetricsRenderer(), judgementPage,
    ]

    /// - Parameter width: The width above which tables name each case in a separate line.
    package static func judgementTable(width: Int = Prose.width) -> Format<Judgement> {
        Format("table", "the conclusion, the tables, every finding that moved in full") {
            judgement in
            TerminalWriter(width: width).text(of: try JudgementDocument(judgement).document(for: .terminal))
        }
    }
    package static let judgementMarkdown = Format<Judgement>(
        "markdown", "the same for a comment or a job summary", file: .judgementReport
    ) { judgement in
        MarkdownWriter(level: 2).text(of: try JudgementDocument(judgement).document(for: .markdown))
    }
    package static let judgementPage = Format<Judgement>("html", "one page with pictures, for a browser", file: .page) {
        judgement in
        PageWriter.text(of: try JudgementDocument(judgement).document(for: .page))
    }

    package static let ofCalibrations: [any TextRenderer<Calibration>] = [
        Format("table", "shift, noise floor, thresholds of significance and detection, false alarms") {
            TerminalWriter().text(of: $0.document)
        },
        Format("json", "the same as JSON", file: .calibration) { calibration in
            try RunCoding.readableText(of: calibration)
        },
    ]

    package static let ofCosts: [any TextRenderer<CostTable>] = [
        Format("table", "one row a program, at the start → after the first 1 KiB") {
            TerminalWriter().text(of: CostDocument($0).document)
        },
        Format("markdown", "the same for a document") { MarkdownWriter().text(of: CostDocument($0).document) },
        Format("csv", "one row a program, of each figure its median") { $0.csv },
        Format("json", "median and spread of each figure, and the libraries that each program has loaded") {
            CostJSONRenderer.text(of: $0)
        },
    ]

    package static let ofSurvival: [any TextRenderer<SurvivalTable>] = [
        Format("table", "the answer, the smallest limit of each case, each limit that was tried") {
            TerminalWriter().text(of: SurvivalDocument($0).document)
        },
        Format("markdown", "the same for a document", file: .report) {
            MarkdownWriter().text(of: SurvivalDocument($0).document)
        },
        Format("html", "one page with a picture, for a browser", file: .page) {
            PageWriter.text(of: SurvivalDocument($0).document)
        },
        Format("csv", "one row a trial", file: .trials) { $0.csv },
        Format("json", "every limit with its trials", file: .survival) { table in
            try RunCoding.readableText(of: table)
        },
        Format("svg", "time under each limit, as a picture for a document") { table in
            guard let picture = SurvivalDocument(table).picture else {
                throw FetchBenchError.nothingToDraw(name: "survive", reason: "no limit that a case survives")
            }
            return picture.document
        },
    ]

    static func noSweep(in run: RunRecord) -> FetchBenchError {
        .nothingToDraw(
            name: run.identifier,
            reason: "no sweep: a slope needs completed trials of \(SizeSweep.fewestSizes) sizes of one kind of asset")
    }

    private struct RunRenderer: TextRenderer {
        let name = "json"
        let summary = "run.json with the trials of trials.jsonl in it"

        func text(of report: Report) throws -> String { try RunStore.text(of: report.run) }

        func pieces(of report: Report) throws -> TextPieces { try RunStore.pieces(of: report.run) }
    }
}

package struct Format<Subject>: TextRenderer {
    package let name: String
    package let summary: String
    package let file: RunFolder.File?
    private let draw: @Sendable (Subject) throws -> String

    init(
        _ name: String, _ summary: String, file: RunFolder.File? = nil,
        draw: @escaping @Sendable (Subject) throws -> String
    ) { (self.name, self.summary, self.file, self.draw) = (name, summary, file, draw) }

    package func text(of subject: Subject) throws -> String { try draw(subject) }
}
