// SPDX-License-Identifier: Apache-2.0

package import Foundation
import Glibc
import OperatingSystem
package import Runs
package import Statistics

/// The medians of one check.
package struct HistoryPoint: Codable, Hashable, Sendable {
    /// The time of the measurement, as ISO 8601 in UTC.
    package var measuredAt: String
    package var commit: String?
    package var medians: [String: [String: Double]]

    private enum CodingKeys: String, CodingKey {
        case commit, medians
        case measuredAt = "measured_at"
    }

    /// - Throws: ``DocumentMistake`` if a median is outside of the range of measurements.
    fileprivate func check() throws(DocumentMistake) {
        var fields = FieldChecks()
        for (cell, metrics) in medians {
            for (metric, value) in metrics {
                fields.figure(value, "medians.\(DocumentMistake.shown(cell)).\(DocumentMistake.shown(metric))")
            }
        }
        if let mistake = fields.mistakes.first { throw mistake }
    }

    /// The stored metrics: the judged memory and its reference.
    static let metrics = JudgedMetric.memory.map { $0.alternatives[0] } + [.netPeak]

    package init(of run: RunRecord) {
        measuredAt = run.finishedAt ?? run.startedAt
        commit = run.environment.commit
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
    /// Reads a history; a missing file is an empty history.
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

    package static func append(_ point: HistoryPoint, to path: String) throws(FetchBenchError) {
        let line = try RunCoding.compactText(of: point)
        try FetchBenchError.onFiles { () throws(FileFailure) in
            try AppendingFile(path: path, name: "the history").append(line)
        }
    }

    /// One metric of one case over all checks that have it.
    package struct Series: Sendable {
        package let cell: String
        package let metric: Metric
        /// The medians in order of time, named by commit, or by time if that is unknown.
        package let points: [(name: String, value: Double)]
        /// The lasting changes of the level.
        package let steps: [StepDetection.Step]
    }

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
