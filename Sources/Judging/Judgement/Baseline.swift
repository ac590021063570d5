// SPDX-License-Identifier: Apache-2.0

package import Foundation
package import Runs
import Statistics
import TrialKit

/// A stored measurement to compare with: `results/baseline.json`, reviewed like code.
package struct Baseline: Codable, Hashable, Sendable {
    package static let currentSchema = 2

    /// The trials of one case × metric.
    package struct Series: Codable, Hashable, Sendable {
        /// The value of every completed trial, in the order measured.
        package var trials: [Double]
        /// The median from which drift is counted: that of the last accepted change, or else of the first baseline.
        package var anchor: Double

        package init(trials: [Double], anchor: Double) {
            self.trials = trials
            self.anchor = anchor
        }

        /// Returns the anchor of the series that replaces this one.
        ///
        /// It moves with a significant step up or down, and with small improvements that add up to one: otherwise the
        /// metric could regress to the old anchor unnoticed.
        /// - Parameter limit: The smallest significant change in the unit of the values, or `nil` if unknown.
        fileprivate func anchor(after median: Double, limit: Double?, isBetterHigher: Bool) -> Double {
            guard let limit, let before = Distribution(trials)?.median else { return anchor }
            let gain = isBetterHigher ? median - anchor : anchor - median
            return abs(median - before) >= limit || gain >= limit ? median : anchor
        }
    }

    /// The version of the format; unknown ones are rejected.
    package var schema: Int
    package var tool: String
    /// The time of the measurement, as ISO 8601 in UTC.
    package var measuredAt: String
    package var commit: String?
    package var plan: Plan
    package var environment: MachineEnvironment
    package var cases: [String: [String: Series]]

    private enum CodingKeys: String, CodingKey {
        case schema, tool, commit, plan, environment, cases
        case measuredAt = "measured_at"
    }

    /// Creates a baseline from a run.
    ///
    /// It keeps the anchors of the older one, so that insignificant steps add up, except where this run contains a
    /// significant change, which is accepted with it.
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
                // A metric that some trials lack is not judged.
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

    package func text() throws(FetchBenchError) -> String {
        try RunCoding.readableText(of: self)
    }

    /// Decodes and checks a baseline.
    package init(parsing data: Data, from path: String) throws(FetchBenchError) {
        do {
            guard let schema = try JSONDecoder().decode([String: AnySchema].self, from: data)["schema"]?.number else {
                throw FetchBenchError.malformedBaseline(path: path, reason: "schema is missing")
            }
            guard schema == Self.currentSchema else {
                throw FetchBenchError.malformedBaseline(
                    path: path,
                    reason: "it has schema \(schema), and this version of fetchbench reads \(Self.currentSchema); "
                        + "write a new one with `fetchbench check --update`")
            }
            self = try JSONDecoder().decode(Baseline.self, from: data)
        } catch let error as FetchBenchError {
            throw error
        } catch {
            throw FetchBenchError.malformedBaseline(path: path, reason: DocumentMistake(error).description)
        }
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
                        reason: "\(cell), \(metric): expected at least one trial and the anchor, in bytes")
                }
            }
        }
    }

    /// Decodes any value; `number` is `nil` if it is not an integer.
    private struct AnySchema: Decodable {
        let number: Int?

        init(from decoder: any Decoder) throws {
            number = try? decoder.singleValueContainer().decode(Int.self)
        }
    }
}
