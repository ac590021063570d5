// SPDX-License-Identifier: Apache-2.0

import Judging
import MemProbe
import Runs
import Statistics
import Support

/// What commands hold as comma-separated values.
enum ExecCSVRenderer {
    private static let trialHeader = [
        "trial", "command", "warmup", "outcome", "outcome_detail", "exit_status", "signal", "method", "peak_source",
        "largest_process",
    ]
    private static let summaryHeader = [
        "command", "metric", "unit", "n", "failed", "median", "min", "max", "mad", "cv_ratio",
    ]

    /// One row for each run.
    static func trials(of report: ExecReport) -> String {
        let names = parameterNames(of: report)
        let header = trialHeader + ExecFigure.all.map(\.name) + names.map { "parameter_" + $0 }
        return text([header] + report.trials.map { row(of: $0) + parameters(of: $0.name, names, in: report) })
    }

    /// One row for each figure of each command.
    static func summary(of report: ExecReport) -> String {
        let names = parameterNames(of: report)
        let rows = report.rows.flatMap { row in
            ExecFigure.all.compactMap { figure -> [String]? in
                guard let values = row.values(of: figure) else { return nil }
                let spread = [
                    values.median, values.minimum, values.maximum, values.medianAbsoluteDeviation,
                    values.coefficientOfVariation,
                ]
                return [row.cell.name, figure.name, figure.unit.rawValue, String(values.count)]
                    + [row.failure == nil ? "0" : "1"] + spread.map { CSV.text($0) }
                    + parameters(of: row.cell.name, names, in: report)
            }
        }
        return text([summaryHeader + names.map { "parameter_" + $0 }] + rows)
    }

    private static func row(of trial: ExecTrial) -> [String] {
        let measurement = trial.measurement
        let identity = [
            String(trial.number), trial.name, trial.isWarmup ? "true" : "false", trial.outcome.kind.rawValue,
            trial.outcome.detail, CSV.text(trial.outcome.exitStatus.map(Double.init)),
            CSV.text(trial.outcome.signal.map(Double.init)),
        ]
        return identity
            + [
                measurement?.method.rawValue ?? "", measurement?.peak.source.rawValue ?? "",
                measurement?.largest?.name ?? "",
            ] + ExecFigure.all.map { CSV.text(measurement.flatMap($0.value)) }
    }

    private static func parameterNames(of report: ExecReport) -> [String] {
        var names: [String] = []
        for name in report.plan.cases.flatMap({ $0.parameters.map(\.name) }) where !names.contains(name) {
            names.append(name)
        }
        return names
    }

    private static func parameters(of name: String, _ names: [String], in report: ExecReport) -> [String] {
        let own = report.plan.cases.first { $0.name == name }?.parameters ?? []
        return names.map { name in own.first { $0.name == name }?.value ?? "" }
    }

    private static func text(_ rows: [[String]]) -> String {
        rows.map(CSV.line).joined()
    }
}
