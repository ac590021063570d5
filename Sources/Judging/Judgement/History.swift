// SPDX-License-Identifier: Apache-2.0

package import Foundation
import Glibc
import OperatingSystem
package import Runs
package import Statistics

/// One point of a history: the medians of one check.
package struct HistoryPoint: Codable, Hashable, Sendable {
    /// When it was measured, as ISO 8601 in UTC.
    package var measuredAt: String
    /// The commit, or `nil`.
    package var commit: String?
    /// The medians by case and metric.
    package var medians: [String: [String: Double]]

    private enum CodingKeys: String, CodingKey {
        case commit, medians
        case measuredAt = "measured_at"
    }

    /// - Throws: ``DocumentMistake`` where a median is none of any machine.
    fileprivate func check() throws(DocumentMistake) {
        var fields = FieldChecks()
        for (cell, metrics) in medians {
            for (metric, value) in metrics {
                fields.figure(value, "medians.\(DocumentMistake.shown(cell)).\(DocumentMistake.shown(metric))")
            }
        }
        if let mistake = fields.mistakes.first { throw mistake }
    }

    /// What is kept: the memory that is judged, and the whole that it is part of.
    static let metrics = JudgedMetric.memory.map { $0.alternatives[0] } + [.netPeak]

    /// The point of a run.
    package init(of run: RunRecord) {
        measuredAt = run.finishedAt ?? run.startedAt
        commit = run.environment.commit
        medians = [:]
        for cell in run.plan.cases {
            for metric in Self.metrics {
                guard let values = metric.distribution(over: run.trials(of: cell)) else { continue }
                medians[cell.identifier, default: [:]][metric.name] = values.median
            }
        }
    }
}

/// The medians of many checks, a line each: slow drift shows here, apart from the gate.
package enum History {
    /// Reads a history; a file that is not there yet is an empty one.
    package static func points(at path: String) throws(FetchBenchError) -> [HistoryPoint] {
        let data: Data
        do throws(FileFailure) {
            data = try WholeFile.data(at: path, name: "the history")
        } catch .cannotRead(_, ENOENT) {
            return []
        } catch {
            throw .file(error)
        }
        return try points(parsing: data)
    }

    /// Reads the lines of a history.
    package static func points(parsing data: Data) throws(FetchBenchError) -> [HistoryPoint] {
        var points: [HistoryPoint] = []
        for (index, line) in data.split(separator: UInt8(ascii: "\n")).enumerated() {
            do {
                let point = try JSONDecoder().decode(HistoryPoint.self, from: line)
                try point.check()
                points.append(point)
            } catch {
                throw FetchBenchError.malformedHistory(line: index + 1, reason: DocumentMistake(error).description)
            }
        }
        return points
    }

    /// Appends a point.
    package static func append(_ point: HistoryPoint, to path: String) throws(FetchBenchError) {
        let line = try RunCoding.compactText(of: point)
        try FetchBenchError.onFiles { () throws(FileFailure) in
            try AppendingFile(path: path, name: "the history").append(line)
        }
    }

    /// One metric of one case over the checks that have it.
    package struct Series: Sendable {
        /// The identifier of the case.
        package let cell: String
        /// The metric.
        package let metric: Metric
        /// The medians in the order of time, each with its commit, or its time where that is not known.
        package let points: [(name: String, value: Double)]
        /// Where the level changed for good.
        package let steps: [StepDetection.Step]
    }

    /// The series of a history, by case and metric.
    package static func series(in points: [HistoryPoint]) -> [Series] {
        let cells = Set(points.flatMap(\.medians.keys)).sorted()
        return cells.flatMap { cell in
            let wholes = points.compactMap { $0.medians[cell]?[Metric.netPeak.name] }
            let whole = Distribution(wholes)?.median ?? 0
            return HistoryPoint.metrics.map { metric in
                let series = points.compactMap { point in
                    point.medians[cell]?[metric.name].map { (name: point.commit ?? point.measuredAt, value: $0) }
                }
                return Series(
                    cell: cell, metric: metric, points: series,
                    steps: StepDetection.steps(in: series.map(\.value), whole: whole))
            }
        }
    }

    /// The steps that the series of a history took, as warnings: they never fail a check.
    package static func warnings(about points: [HistoryPoint]) -> [RunWarning] {
        series(in: points).flatMap { series in
            series.steps.map { step in
                let change = FigureText.growth(step.after - step.before)
                return RunWarning(
                    "history of \(series.cell), \(series.metric.name): a step of \(change) MiB at "
                        + series.points[step.index].name)
            }
        }
    }
}
