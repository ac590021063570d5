// SPDX-License-Identifier: Apache-2.0

import Judging
import MemProbe
import Runs
import Texts
import TrialKit

/// Renders what plain commands hold as JSON: each command's runs and figures, and its comparison with the reference.
struct CommandsJSONRenderer: TextRenderer {
    let name = "commands"
    let summary = "peaks of commands, and comparisons with the reference, as JSON"
    let file = RunFolder.File?.some(.commands)

    func text(of report: Report) throws(FetchBenchError) -> String {
        guard let commands = CommandReport(report) else {
            throw .nothingToDraw(name: report.run.identifier, reason: "it has no command without {url}")
        }
        return JSONText.pretty(CommandsDocument(commands))
    }
}

private struct CommandsDocument: Encodable {
    var schema = 1
    let commands: [CommandDocument]
    let comparisons: [ComparisonDocument]
    let overLimit: [String]
    let warnings: [String]

    init(_ report: CommandReport) {
        commands = report.rows.map { CommandDocument($0, report.run.plan.command(of: $0.cell)) }
        comparisons = report.comparisons.map(ComparisonDocument.init)
        overLimit = report.excesses.map(\.text)
        warnings = report.doubts + report.run.warnings.map(\.text)
    }

    private enum CodingKeys: String, CodingKey {
        case schema, commands, comparisons, warnings
        case overLimit = "over_limit"
    }
}

private struct CommandDocument: Encodable {
    let name: String
    let command: String
    let isRedacted: Bool
    let shell: String?
    let parameters: [String: String]
    let allocator: String
    let runs: Int
    let failure: String?
    let figures: [String: FigureDocument]
    let trials: [CommandTrialDocument]

    init(_ row: CaseSummary, _ command: ExternalCommand?) {
        name = row.cell.title
        self.command = command?.command ?? ""
        isRedacted = command?.isRedacted ?? false
        shell = command.flatMap { (try? $0.launch(with: row.cell.parameters))?.shell }
        parameters = Dictionary(row.cell.parameters.map { ($0.name, $0.value) }) { first, _ in first }
        allocator = row.cell.allocator.rawValue
        runs = row.completed
        failure = row.trials.first { !$0.isCompleted }?.outcome.detail
        trials = row.trials.map { CommandTrialDocument($0) }
        figures = CommandFigures.all.reduce(into: [:]) { figures, figure in
            figures[figure.name] = row.values(of: figure.metric).map { FigureDocument(figure.metric.unit, $0) }
        }
    }

    private enum CodingKeys: String, CodingKey {
        case name, command, shell, parameters, allocator, runs, failure, figures, trials
        case isRedacted = "redacted"
    }
}

/// The figures of a command, whose names omit the phase `fetch`, which a command does not have.
private enum CommandFigures {
    static let all: [(name: String, metric: Metric)] = [
        Metric.peakResident, .peakErrorBound, .netPeak, .programPages, .largestProcessPeak, .sumOfPeaks, .processes,
        .threads, .duration(of: .fetch), .cpu(of: .fetch), .tracing,
    ].map { ($0.name.hasPrefix("fetch_") ? String($0.name.dropFirst(6)) : $0.name, $0) }
}

private struct CommandTrialDocument: Encodable {
    let trial: Int
    let outcome: Outcome
    let exitStatus: Int32?
    let signal: Int32?
    let method: String?
    let figures: [String: Double]
    let processes: [ProcessDocument]
    let outlived: [String]

    init(_ trial: Trial) {
        let trace = trial.report?.command
        self.trial = trial.number
        outcome = trial.outcome
        exitStatus = trace?.exitStatus
        signal = trace?.signal
        method = trace?.method.rawValue
        figures = CommandFigures.all.reduce(into: [:]) { $0[$1.name] = $1.metric.value(trial) }
        processes = trace.map { ProcessGroup.all(in: $0).map(ProcessDocument.init) } ?? []
        outlived = Set((trace?.processes ?? []).filter(\.outlived).map(\.name)).sorted()
    }

    private enum CodingKeys: String, CodingKey {
        case trial, outcome, signal, method, figures, processes, outlived
        case exitStatus = "exit_status"
    }
}

/// The processes of the same name within a run.
private struct ProcessDocument: Encodable {
    let name: String
    let count: Int
    let peak: ByteCount

    init(_ group: ProcessGroup) {
        (name, count, peak) = (group.name, group.count, group.peak)
    }

    private enum CodingKeys: String, CodingKey {
        case name, count
        case peak = "peak_resident_bytes"
    }
}

/// A comparison of a command with the reference.
private struct ComparisonDocument: Encodable {
    let command: String
    let reference: String
    let metric: String
    let verdict: CommandComparison.Verdict
    let reason: String?
    let base: Double?
    let head: Double?
    let difference: Double?
    let interval: [Double]?
    let p: Double?
    let threshold: Double?
    let detectable: Double?

    init(_ comparison: CommandComparison) {
        command = comparison.name
        reference = comparison.reference
        metric = comparison.figure
        verdict = comparison.verdict
        reason = comparison.reason.isEmpty ? nil : comparison.reason
        base = comparison.base
        head = comparison.head
        difference = comparison.difference
        interval = comparison.interval.map { [$0.lowerBound, $0.upperBound] }
        p = comparison.p
        threshold = comparison.threshold
        detectable = comparison.detectable
    }

    private enum CodingKeys: String, CodingKey {
        case command, reference, metric, verdict, reason, p
        case base = "reference_median_bytes"
        case head = "command_median_bytes"
        case difference = "difference_bytes"
        case interval = "interval_bytes"
        case threshold = "smallest_that_counts_bytes"
        case detectable = "smallest_detectable_bytes"
    }
}
