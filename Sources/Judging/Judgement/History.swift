// SPDX-License-Identifier: Apache-2.0

package import Foundation
import Glibc
package import Runs

package struct HistoryPoint: Codable, Hashable, Sendable {
    package var measuredAt: String
    package var commit: String?
    /// The machine by its label, or by its processor and kernel; `nil` in lines of earlier versions.
    package var machine: String?
    package var medians: [String: [String: Double]]

    private enum CodingKeys: String, CodingKey {
        case commit, machine, medians
        case measuredAt = "measured_at"
    }

    fileprivate var mistake: DocumentMistake? {
        var fields = FieldChecks()
        for (cell, metrics) in medians {
            for (metric, value) in metrics {
                fields.figure(value, "medians.\(DocumentMistake.shown(cell)).\(DocumentMistake.shown(metric))")
            }
        }
        return fields.mistakes.first
    }

    static let metrics = JudgedMetric.memory.map { $0.alternatives[0] } + [.netPeak]

    package init(of run: RunRecord) {
        measuredAt = run.finishedAt ?? run.startedAt
        let host = run.environment
        commit = host.commit
        machine = host.label ?? "\(host.processor ?? host.architecture), kernel \(host.kernel)"
        medians = [:]
        let byCase = run.trialsByCase
        for cell in run.plan.cases {
            for metric in Self.metrics {
                guard let values = byCase[cell].flatMap(metric.distribution) else { continue }
                medians[cell.identifier, default: [:]][metric.name] = values.median
            }
        }
    }
}

/// The medians of many checks, one a line, which show slow drift; they fail no check.
package enum History {
    /// Reads a history, to which the check is to be appended; a missing file is an empty history.
    /// - Throws: An error if it cannot be read or written: nothing should be measured in vain.
    package static func points(at path: String) throws -> [HistoryPoint] {
        let isThere = access(path, F_OK) == 0
        if access(isThere ? path : PathText.folder(of: path), W_OK) != 0 {
            throw FetchBenchError.cannotWrite(name: "the history", errno: errno)
        }
        guard isThere else { return [] }
        let data = try WholeFile.data(at: path, name: "the history")
        return try points(parsing: data)
    }

    package static func points(parsing data: Data) throws -> [HistoryPoint] {
        var points: [HistoryPoint] = []
        for (index, line) in data.split(separator: UInt8(ascii: "\n")).enumerated() {
            do {
                let point = try JSONDecoder().decode(HistoryPoint.self, from: line)
                if let mistake = point.mistake { throw FetchBenchError(mistake.description) }
                points.append(point)
            } catch {
                throw FetchBenchError(
                    "history line \(index + 1) is invalid: \(DocumentMistake(error))", remedy: "Fix or delete it")
            }
        }
        return points
    }

    package static func append(_ point: HistoryPoint, to path: String) throws {
        let line = try RunCoding.compactText(of: point)
        try AppendingFile(path: path, name: "the history").append(line)
    }

    /// One metric of one case over all checks that have it.
    package struct Series: Sendable {
        package let cell: String
        package let metric: Metric
        /// The medians in order of time, named by commit, or by time if that is unknown.
        package let points: [(name: String, machine: String?, value: Double)]
        package let steps: [StepDetection.Step]
        /// The change from the first to the last point of values that a line fits better than steps; otherwise `nil`.
        package let drift: Double?

        fileprivate init(_ cell: String, _ metric: Metric, whole: Double, in points: [HistoryPoint]) {
            (self.cell, self.metric) = (cell, metric)
            self.points = points.compactMap { point in
                point.medians[cell]?[metric.name].map { (point.commit ?? point.measuredAt, point.machine, $0) }
            }
            let values = self.points.map(\.value)
            let steps = StepDetection.steps(in: values, whole: whole)
            drift = steps.isEmpty ? nil : StepDetection.drift(in: values, besides: steps)
            self.steps = drift == nil ? steps.map { $0.dated(in: values) } : []
        }

        /// A sentence for each step, or for the drift.
        package var changes: [String] {
            if let drift, let first = points.first, let last = points.last {
                return ["a drift of \(FigureText.growth(drift)) MiB from \(first.name) to \(last.name)"]
            }
            return steps.map { step in
                let (before, place) = (points[step.index - 1], points[step.index])
                let moved = before.machine == place.machine ? "" : ", the first on another machine"
                return "a step of \(FigureText.growth(step.after - step.before)) MiB at \(place.name)" + moved
            }
        }
    }

    /// Lines may stand in another order than their dates, as merged branches leave them.
    package static func series(in points: [HistoryPoint]) -> [Series] {
        let points = points.enumerated().sorted {
            ($0.element.measuredAt, $0.offset) < ($1.element.measuredAt, $1.offset)
        }
        .map(\.element)
        let cells = Set(points.flatMap(\.medians.keys)).sorted()
        return cells.flatMap { cell in
            let wholes = points.compactMap { $0.medians[cell]?[Metric.netPeak.name] }
            let whole = Distribution(wholes)?.median ?? 0
            return HistoryPoint.metrics.map { Series(cell, $0, whole: whole, in: points) }
        }
    }

    package static func warnings(about points: [HistoryPoint]) -> [RunWarning] {
        series(in: points).flatMap { series in
            series.changes.map { RunWarning("history of \(series.cell), \(series.metric.name): \($0)") }
        }
    }
}
