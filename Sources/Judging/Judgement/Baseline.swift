// SPDX-License-Identifier: Apache-2.0

package import Foundation
import Glibc
package import Runs

/// A stored measurement to compare with: `results/baseline.json`, reviewed like code.
package struct Baseline: Codable, Hashable, Sendable {
    package static let currentSchema = 2

    package struct Series: Codable, Hashable, Sendable {
        package var trials: [Double]
        /// The median from which drift is counted: that of the last accepted change, or else of the first baseline.
        package var anchor: Double

        package init(trials: [Double], anchor: Double) {
            (self.trials, self.anchor) = (trials, anchor)
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
    package var measuredAt: String
    package var commit: String?
    package var plan: Plan
    package var environment: MachineEnvironment
    /// The executables of the commands, as far as they could be found; `nil` in baselines of earlier versions.
    package var executables: [ProgramFile]?
    package var cases: [String: [String: Series]]

    private enum CodingKeys: String, CodingKey {
        case schema, tool, commit, plan, environment, executables, cases
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
        (environment, executables) = (run.environment, run.executables)
        cases = [:]
        let judge = CaseJudge.ofStoredBaseline(run)
        let metrics = run.metrics
        for cell in run.plan.cases {
            let own = run.comparableTrials(of: cell)
            let known = older?.cases[cell.identifier] ?? [:]
            let step = CaseValues(cell, baseline: known, head: own, judging: metrics.judged(of: cell))
            for metric in metrics.stored(of: cell) {
                let completed = own.filter(\.isCompleted)
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

    package func text() throws -> String {
        try RunCoding.readableText(of: self)
    }

    package init(parsing data: Data, from path: String) throws {
        let refusal = { FetchBenchError.malformedBaseline(path: path, reason: $0) }
        self = try StoredDocument.decode(
            Baseline.self, from: data, schema: Self.currentSchema, refusal: refusal)
        var fields = FieldChecks()
        fields.check(plan, "plan")
        fields.check(environment, "environment")
        if let mistake = fields.mistakes.first {
            throw refusal(mistake.description)
        }
        for (cell, metrics) in cases {
            for (metric, series) in metrics {
                let values = series.trials + [series.anchor]
                guard !series.trials.isEmpty, values.allSatisfy({ $0.magnitude <= Limits.largestFigure }) else {
                    throw refusal("\(cell), \(metric): expected at least one trial and the anchor, in bytes")
                }
            }
        }
    }
}

/// The baseline of a check, or what follows from its absence; decided before anything is measured.
package struct BaselineChoice: Sendable {
    package static let usualPath = RunFolder.usualParent + "/baseline.json"

    package let path: String
    package let baseline: Baseline?
    package let warnings: [String]
    private let isOptional: Bool
    private let isWanted: Bool

    package static let none = BaselineChoice(
        path: usualPath, baseline: nil, warnings: [], isOptional: true, isWanted: false)

    /// The changes that a new baseline makes, for its reviewer.
    package struct BaselineDifference: Sendable {
        private let older: Baseline?
        private let newer: Baseline
        private let metrics: [Metric]

        package init(older: Baseline?, newer: Baseline, of metrics: MetricCatalog) {
            self.metrics = metrics.judged
            (self.older, self.newer) = (older, newer)
        }

        package var text: String {
            var table = TextTable(
                ["case", "metric", "before, MiB", "now, MiB", "change, MiB", "since anchor, MiB"], words: 2)
            let names = Set(newer.cases.keys).union(older?.cases.keys.map { $0 } ?? []).sorted()
            for name in names {
                for metric in metrics {
                    let before = older?.cases[name]?[metric.name]
                    let now = newer.cases[name]?[metric.name]
                    guard before != nil || now != nil else { continue }
                    let (size, growth) = Self.writing(metric)
                    table.rows.append([
                        SafeText.forTerminal(name), metric.name, size(median(before)), size(median(now)),
                        growth(change(median(before), median(now))), growth(change(now?.anchor, median(now))),
                    ])
                }
            }
            return table.plain
        }

        /// Returns formatters: MiB for memory, as in the header, ms for time, and the metric's own unit for a scenario's figure.
        private static func writing(_ metric: Metric) -> (size: (Double?) -> String, growth: (Double?) -> String) {
            let isMemory = JudgedMetric.memory.contains { $0.alternatives[0].name == metric.name }
            guard !isMemory else { return (FigureText.size, FigureText.growth) }
            let (unit, divisor) = metric.unit == .nanoseconds ? (" ms", 1e6) : (metric.unit == .bytes ? " B" : "", 1)
            let text = { (value: Double?) in
                value.map { ByteText.fixed($0 / divisor, places: 2) + unit } ?? FigureText.absent
            }
            return (text, text)
        }

        private func median(_ series: Baseline.Series?) -> Double? {
            series.flatMap { Distribution($0.trials)?.median }
        }

        private func change(_ before: Double?, _ now: Double?) -> Double? {
            guard let before, let now else { return nil }
            return now - before
        }
    }
}

extension BaselineChoice {
    /// Reads the baseline before measuring, so that an error in it does not cost a whole run.
    ///
    /// A missing or invalid baseline is ignored if it is to be replaced. A missing one is also ignored if it was not
    /// named and there are budgets.
    package init(named name: String?, isReplaced: Bool, hasBudgets: Bool) throws {
        let path = name ?? Self.usualPath
        let isOptional = name == nil && hasBudgets
        var warnings: [String] = []
        var baseline: Baseline?
        do {
            let data = try WholeFile.data(at: path, name: path, allowsPipe: true)
            baseline = try Baseline(parsing: data, from: path)
        } catch let error as FetchBenchError where error.errno == ENOENT {
            guard isReplaced || isOptional else {
                throw FetchBenchError(
                    "no baseline at \(path)",
                    remedy: "Write one with `fetchbench check --update`, or judge the budgets alone with --no-baseline")
            }
        } catch let error as FetchBenchError where isReplaced && error.errno == nil {
            warnings.append("the old baseline is replaced without being read: \(error.message)")
        }
        self.init(
            path: path, baseline: baseline, warnings: warnings, isOptional: isOptional, isWanted: !isReplaced)
    }

    /// Returns a warning if a run is judged by budgets alone for want of a baseline; otherwise `nil`.
    package func absence(for run: RunRecord) -> RunWarning? {
        guard isWanted, isOptional else { return nil }
        let cells = run.plan.fetchingCases.map(\.identifier)
        let known = baseline.map { baseline in cells.contains { baseline.cases[$0] != nil } }
        guard known != true else { return nil }
        let what = known == nil ? "\(path) does not exist" : "\(path) has no case of this suite"
        return RunWarning(
            "\(what): only budgets are checked",
            remedy: "`fetchbench check --update --baseline FILE` writes a baseline")
    }

    /// Returns the new baseline of a run and its differences, or `nil` if a trial did not complete.
    /// - Parameter resetsAnchor: True to count drift from this run instead of the last accepted change.
    package func replacement(by run: RunRecord, resetsAnchor: Bool) -> (baseline: Baseline, difference: String)? {
        guard run.trials.allSatisfy(\.isCompleted) else { return nil }
        let newer = Baseline(of: run, after: resetsAnchor ? nil : baseline)
        return (newer, BaselineDifference(older: baseline, newer: newer, of: run.metrics).text)
    }
}
