// SPDX-License-Identifier: Apache-2.0

package import Foundation
package import Runs
import Statistics
import TrialKit

/// A stored measurement to compare with: `results/baseline.json`, reviewed like code.
package struct Baseline: Codable, Hashable, Sendable {
    /// The version of the format in this version of fetchbench.
    package static let currentSchema = 2

    /// The trials of one case × metric.
    package struct Series: Codable, Hashable, Sendable {
        /// Every completed trial's value, in the order measured.
        package var trials: [Double]
        /// The median that drift is counted from: that of the last change that was accepted, else of the first baseline.
        package var anchor: Double

        /// Creates a series.
        package init(trials: [Double], anchor: Double) {
            self.trials = trials
            self.anchor = anchor
        }

        /// The anchor of the series that takes the place of this one.
        ///
        /// A step that counts is accepted with it, upwards and downwards. What has fallen far enough below its anchor is
        /// accepted, too, however it got there: else it could grow back unseen.
        /// - Parameters:
        ///   - limit: the smallest change that counts, in the unit of the values; `nil` where none can be told.
        ///   - isBetterHigher: whether falling is what is not accepted for nothing.
        fileprivate func anchor(after median: Double, limit: Double?, isBetterHigher: Bool) -> Double {
            guard let limit, let before = Distribution(trials)?.median else { return anchor }
            let gain = isBetterHigher ? median - anchor : anchor - median
            return abs(median - before) >= limit || gain >= limit ? median : anchor
        }
    }

    /// The version of the format; an unknown one is refused.
    package var schema: Int
    /// What wrote it.
    package var tool: String
    /// When it was measured, as ISO 8601 in UTC.
    package var measuredAt: String
    /// The commit it was measured at, or `nil`.
    package var commit: String?
    /// What was measured, without the list of its cells' trials.
    package var plan: Plan
    /// What it was measured on.
    package var environment: MachineEnvironment
    /// The series by case and metric.
    package var cases: [String: [String: Series]]

    private enum CodingKeys: String, CodingKey {
        case schema, tool, commit, plan, environment, cases
        case measuredAt = "measured_at"
    }

    /// Makes a baseline of a run.
    ///
    /// The anchors of an older one are kept, so that steps too small to count add up, but where this run takes its place
    /// with a change that counts: that is accepted with it.
    package init(of run: RunRecord, after older: Baseline?) {
        schema = Self.currentSchema
        tool = run.tool
        measuredAt = run.finishedAt ?? run.startedAt
        commit = run.environment.commit
        plan = run.plan
        environment = run.environment
        cases = [:]
        let judge = CaseJudge.ofStoredBaseline(run)
        let metrics = run.metrics
        for cell in run.plan.cases {
            let known = older?.cases[cell.identifier] ?? [:]
            let step = CaseValues(cell, baseline: known, head: run.trials(of: cell), judging: metrics.judged(of: cell))
            for metric in metrics.stored(of: cell) {
                let completed = run.trials(of: cell).filter(\.isCompleted)
                let trials = completed.compactMap(metric.value)
                // What some trials lack is judged of neither side.
                guard trials.count == completed.count, let values = Distribution(trials) else { continue }
                let limit = judge.limit(of: metric, step)
                let anchor = known[metric.name].map {
                    $0.anchor(after: values.median, limit: limit, isBetterHigher: metric.direction == .higher)
                }
                cases[cell.identifier, default: [:]][metric.name] = Series(
                    trials: trials, anchor: anchor ?? values.median)
            }
        }
    }

    /// The baseline as its file has it.
    package func text() throws(FetchBenchError) -> String {
        try RunCoding.readableText(of: self)
    }

    /// Reads a baseline, and refuses one that was edited into nonsense.
    /// - Parameter path: where it was, for the message of an error.
    package init(parsing data: Data, from path: String) throws(FetchBenchError) {
        let baseline: Baseline
        do {
            guard let schema = try JSONDecoder().decode([String: AnySchema].self, from: data)["schema"]?.number else {
                throw FetchBenchError.malformedBaseline(path: path, reason: "it names no schema")
            }
            guard schema == Self.currentSchema else {
                throw FetchBenchError.malformedBaseline(
                    path: path,
                    reason: "it has schema \(schema), and this version of fetchbench reads \(Self.currentSchema); "
                        + "`fetchbench check --update` measures it anew")
            }
            baseline = try JSONDecoder().decode(Baseline.self, from: data)
        } catch let error as FetchBenchError {
            throw error
        } catch {
            throw FetchBenchError.malformedBaseline(path: path, reason: DocumentMistake(error).description)
        }
        self = baseline
        var fields = FieldChecks()
        fields.check(plan, "plan")
        fields.check(environment, "environment")
        if let mistake = fields.mistakes.first { throw .malformedBaseline(path: path, reason: mistake.description) }
        for (cell, metrics) in cases {
            for (metric, series) in metrics {
                let values = series.trials + [series.anchor]
                guard !series.trials.isEmpty, values.allSatisfy({ $0.magnitude <= Limits.largestFigure }) else {
                    throw FetchBenchError.malformedBaseline(
                        path: path,
                        reason: "\(cell), \(metric): trials are sizes in bytes, at least one, and so is the anchor")
                }
            }
        }
    }

    /// A value of any kind, of which only a number is kept.
    private struct AnySchema: Decodable {
        let number: Int?

        init(from decoder: any Decoder) throws {
            number = try? decoder.singleValueContainer().decode(Int.self)
        }
    }
}
