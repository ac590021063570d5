// SPDX-License-Identifier: Apache-2.0

package import Judging
package import Runs

/// A part of a JSON document; properties that are `nil` are left out.
enum JSONValue: Encodable, ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByDictionaryLiteral {
    case text(String)
    case whole(Int)
    case number(Double)
    case truth(Bool)
    case list([JSONValue])
    case object([String: JSONValue])
    case coded(any Encodable)

    init(stringLiteral value: String) { self = .text(value) }
    init(integerLiteral value: Int) { self = .whole(value) }
    init(dictionaryLiteral elements: (String, JSONValue?)...) { self = .object(elements) }

    static func object(_ properties: [(String, JSONValue?)]) -> JSONValue {
        .object(Dictionary(properties.compactMap { name, value in value.map { (name, $0) } }) { first, _ in first })
    }

    init(_ unit: some RawRepresentable<String>, _ values: Distribution) {
        self = [
            "unit": .text(unit.rawValue), "median": .number(values.median), "min": .number(values.minimum),
            "max": .number(values.maximum), "mad": .number(values.medianAbsoluteDeviation),
        ]
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .text(let text): try container.encode(text)
        case .whole(let number): try container.encode(number)
        case .number(let number): try container.encode(number)
        case .truth(let truth): try container.encode(truth)
        case .list(let values): try container.encode(values)
        case .object(let properties): try container.encode(properties)
        case .coded(let value): try value.encode(to: encoder)
        }
    }
}

/// Renders what plain commands hold as JSON: each command's runs and figures, and its comparison with the reference.
struct CommandsJSONRenderer: TextRenderer {
    let name = "commands"
    let summary = "peaks of commands, and comparisons with the reference, as JSON"
    let file = RunFolder.File?.some(.commands)

    func text(of report: Report) throws -> String {
        guard let commands = CommandReport(report) else {
            throw FetchBenchError.nothingToDraw(name: report.run.identifier, reason: "it has no command without {url}")
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
        let processes = trace?.byName ?? []
        return [
            "trial": .whole(trial.number), "outcome": .coded(trial.outcome),
            "exit_status": trace?.exitStatus.map { .whole(Int($0)) }, "signal": trace?.signal.map { .whole(Int($0)) },
            "method": trace.map { .text($0.method.rawValue) },
            "figures": .object(figures.map { ($0.name, $0.metric.value(trial).map(JSONValue.number)) }),
            "processes": .list(
                processes.map { group in
                    [
                        "name": .text(group.name), "count": .whole(group.count),
                        "peak_resident_bytes": .whole(group.largestPeak.rawValue),
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

/// Renders a judgement as JSON, described by `docs/judgement.schema.json`.
///
/// It decodes as a ``Judgement``, and has the additional property `answer`: `within`, `red` or `none`.
package struct JudgementJSONRenderer: TextRenderer {
    package let name = "json"
    package let summary = "the whole judgement with its answer"
    package let file = RunFolder.File?.some(.judgement)

    package init() {}

    package func text(of judgement: Judgement) -> String {
        JSONText.pretty(Document(judgement: judgement.finite, answer: judgement.answer.word))
    }

    private struct Document: Encodable {
        let judgement: Judgement
        let answer: String

        private enum CodingKeys: String, CodingKey {
            case answer, findings
        }

        func encode(to encoder: any Encoder) throws {
            try judgement.encode(to: encoder)
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(answer, forKey: .answer)
            try container.encode(judgement.findings.map(FindingDocument.init), forKey: .findings)
        }
    }

    /// A finding with derived properties, to save readers from computing them.
    private struct FindingDocument: Encodable {
        let finding: Finding

        private enum CodingKeys: String, CodingKey {
            case change
        }

        func encode(to encoder: any Encoder) throws {
            try finding.encode(to: encoder)
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encodeIfPresent(finding.change, forKey: .change)
        }
    }
}
