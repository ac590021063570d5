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
        let document: JSONValue = [
            "schema": 1,
            "commands": .list(commands.rows.map { Self.value(of: $0, report.run.plan.command(of: $0.cell)) }),
            "comparisons": .list(commands.comparisons.map(Self.value)),
            "over_limit": .list(commands.excesses.map { .text($0.text) }),
            "warnings": .list((commands.doubts + report.run.warnings.map(\.text)).map(JSONValue.text)),
        ]
        return JSONText.pretty(document)
    }

    /// The figures of a command, whose names omit the phase `fetch`, which a command does not have.
    private static let figures: [(name: String, metric: Metric)] = [
        Metric.peakResident, .peakErrorBound, .netPeak, .programPages, .largestProcessPeak, .sumOfPeaks, .processes,
        .threads, .duration(of: .fetch), .cpu(of: .fetch), .tracing,
    ].map { ($0.name.hasPrefix("fetch_") ? String($0.name.dropFirst(6)) : $0.name, $0) }

    private static func value(of row: CaseSummary, _ command: ExternalCommand?) -> JSONValue {
        let shell = command.flatMap { (try? $0.launch(with: row.cell.parameters))?.shell }
        return [
            "name": .text(row.cell.title), "command": .text(command?.command ?? ""),
            "redacted": .truth(command?.isRedacted ?? false), "shell": shell.map(JSONValue.text),
            "parameters": .object(row.cell.parameters.map { ($0.name, .text($0.value)) }),
            "allocator": .text(row.cell.allocator.rawValue), "runs": .whole(row.completed),
            "failure": row.trials.first { !$0.isCompleted }.map { .text($0.outcome.detail) },
            "figures": .object(
                figures.map { figure in
                    (figure.name, row.values(of: figure.metric).map { JSONValue(figure.metric.unit, $0) })
                }),
            "trials": .list(row.trials.map(value)),
        ]
    }

    private static func value(of trial: Trial) -> JSONValue {
        let trace = trial.report?.command
        let processes = trace.map { ProcessGroup.all(in: $0) } ?? []
        return [
            "trial": .whole(trial.number), "outcome": .coded(trial.outcome),
            "exit_status": trace?.exitStatus.map { .whole(Int($0)) }, "signal": trace?.signal.map { .whole(Int($0)) },
            "method": trace.map { .text($0.method.rawValue) },
            "figures": .object(figures.map { ($0.name, $0.metric.value(trial).map(JSONValue.number)) }),
            "processes": .list(
                processes.map { group in
                    [
                        "name": .text(group.name), "count": .whole(group.count),
                        "peak_resident_bytes": .whole(group.peak.rawValue),
                    ]
                }),
            "outlived": .list(
                Set((trace?.processes ?? []).filter(\.outlived).map(\.name)).sorted().map(JSONValue.text)),
        ]
    }

    private static func value(of comparison: CommandComparison) -> JSONValue {
        [
            "command": .text(comparison.name), "reference": .text(comparison.reference),
            "metric": .text(comparison.figure), "verdict": .coded(comparison.verdict),
            "reason": comparison.reason.isEmpty ? nil : .text(comparison.reason),
            "reference_median_bytes": comparison.base.map(JSONValue.number),
            "command_median_bytes": comparison.head.map(JSONValue.number),
            "difference_bytes": comparison.difference.map(JSONValue.number),
            "interval_bytes": comparison.interval.map { .list([.number($0.lowerBound), .number($0.upperBound)]) },
            "p": comparison.p.map(JSONValue.number),
            "smallest_that_counts_bytes": comparison.threshold.map(JSONValue.number),
            "smallest_detectable_bytes": comparison.detectable.map(JSONValue.number),
        ]
    }
}
