// SPDX-License-Identifier: Apache-2.0

import Judging
import MemProbe
import Runs
import Statistics
import Support

/// What commands hold as JSON: everything that was measured, and what it comes to.
enum ExecJSONRenderer {
    static func text(of report: ExecReport) -> String {
        JSONText.pretty(ExecDocument(report))
    }
}

/// The whole document.
private struct ExecDocument: Encodable {
    var schema = 1
    let tool: String
    let startedAt: String
    let finishedAt: String?
    let settings: ExecSettingsDocument
    let environment: MachineEnvironment
    let commands: [ExecCommandDocument]
    let comparisons: [ExecComparisonDocument]
    let overLimit: [String]
    let warnings: [String]
    let trials: [ExecTrial]

    init(_ report: ExecReport) {
        tool = report.tool
        startedAt = report.startedAt
        finishedAt = report.finishedAt
        settings = ExecSettingsDocument(report.plan.settings)
        environment = report.environment
        commands = report.rows.map(ExecCommandDocument.init)
        comparisons = report.comparisons.map(ExecComparisonDocument.init)
        overLimit = report.excesses.map(\.text)
        warnings = report.doubts
        trials = report.trials
    }

    private enum CodingKeys: String, CodingKey {
        case schema, tool, settings, environment, commands, comparisons, warnings, trials
        case startedAt = "started_at"
        case finishedAt = "finished_at"
        case overLimit = "over_limit"
    }
}

/// How commands were run.
private struct ExecSettingsDocument: Encodable {
    let trials: Int
    let warmup: Int
    let seed: UInt64
    let hasInput: Bool
    let timeout: Double
    let memoryLimit: ByteCount?
    let limit: ByteCount?
    let ignoresFailure: Bool

    init(_ settings: ExecSettings) {
        trials = settings.trials
        warmup = settings.warmup
        seed = settings.seed
        hasInput = settings.input != nil
        timeout = settings.timeoutSeconds
        memoryLimit = settings.memoryLimit
        limit = settings.limit
        ignoresFailure = settings.ignoresFailure
    }

    private enum CodingKeys: String, CodingKey {
        case trials, warmup, seed
        case hasInput = "has_input"
        case timeout = "timeout_seconds"
        case memoryLimit = "memory_limit_bytes"
        case limit = "limit_bytes"
        case ignoresFailure = "ignores_failure"
    }
}

/// What was measured of one command.
private struct ExecCommandDocument: Encodable {
    let name: String
    let command: String
    let isRedacted: Bool
    let shell: String?
    let parameters: [String: String]
    let prepare: String?
    let cleanup: String?
    let runs: Int
    let failure: String?
    let figures: [String: FigureDocument]

    init(_ row: ExecRow) {
        let step = row.cell.step
        name = row.cell.name
        command = step.stored
        isRedacted = step.stored != step.command
        shell = step.launch.shell
        parameters = Dictionary(row.cell.parameters.map { ($0.name, $0.value) }) { first, _ in first }
        prepare = row.cell.preparation?.stored
        cleanup = row.cell.cleanup?.stored
        runs = row.trials.count
        failure = row.failure?.failureText
        figures = ExecFigure.all.reduce(into: [:]) { figures, figure in
            figures[figure.name] = row.values(of: figure).map { FigureDocument(figure.unit, $0) }
        }
    }

    private enum CodingKeys: String, CodingKey {
        case name, command, shell, parameters, prepare, cleanup, runs, failure, figures
        case isRedacted = "redacted"
    }
}

/// One command against the reference.
private struct ExecComparisonDocument: Encodable {
    let command: String
    let reference: String
    let metric: String
    let verdict: ExecComparison.Verdict
    let reason: String?
    let base: Double?
    let head: Double?
    let difference: Double?
    let interval: [Double]?
    let p: Double?
    let threshold: Double?
    let detectable: Double?

    init(_ comparison: ExecComparison) {
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
