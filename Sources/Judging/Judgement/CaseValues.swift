// SPDX-License-Identifier: Apache-2.0

import MemProbe
package import Runs
import Statistics
import TrialKit

/// What two sides measured of one case: the values of each judged metric, and how many trials gave none.
package struct CaseValues: Sendable {
    /// The values of one metric, in the order measured.
    package struct Values: Hashable, Sendable {
        var base: [Double]
        var head: [Double]

        /// Creates the values of a metric.
        package init(base: [Double], head: [Double]) {
            self.base = base
            self.head = head
        }
    }

    /// The case.
    package let cell: Case
    /// What is judged: of each kind the first metric that every trial of both sides has.
    let metrics: [Metric]
    /// The values by the name of the metric.
    let values: [String: Values]
    /// As what each metric is judged, by its name.
    private let judged: [String: JudgedMetric]
    /// What cannot be judged as one side alone has it: each figure with the side that lacks it.
    let oneSided: [(metric: Metric, lacking: ComparedSide)]
    /// The whole that changes of memory are relative to: the median of the base's net peaks.
    private let whole: Double?
    /// What is wrong with the trials of a side, in words, or `nil` where enough completed.
    let shortage: String?
    /// The phase in which the head peaks.
    let phase: Phase?

    /// The values of pairs of trials.
    init(_ cell: Case, _ pairs: PairedTrials, judging judged: [JudgedMetric]) {
        self.init(
            cell, judged, base: { Self.values(of: $0, in: pairs.base) }, head: pairs.head,
            shortage: Self.shortage(of: pairs.base, "base"))
    }

    /// The values of a stored series and of trials.
    init(_ cell: Case, baseline: [String: Baseline.Series], head: [Trial], judging judged: [JudgedMetric]) {
        self.init(cell, judged, base: { baseline[$0.name]?.trials }, head: head, shortage: nil)
    }

    /// The values of metrics of memory, however they were come by.
    /// - Parameter whole: what changes of memory are relative to.
    package init(_ cell: Case, _ values: [(metric: Metric, values: Values)], whole: Double) {
        self.cell = cell
        metrics = values.map(\.metric)
        self.values = values.reduce(into: [:]) { $0[$1.metric.name] = $1.values }
        judged = Self.byName(JudgedMetric.memory)
        self.whole = whole
        (oneSided, shortage, phase) = ([], nil, nil)
    }

    private init(
        _ cell: Case, _ judged: [JudgedMetric], base: (Metric) -> [Double]?, head: [Trial], shortage: String?
    ) {
        func sides(_ metric: Metric) -> Values? {
            guard let base = base(metric), let head = Self.values(of: metric, in: head) else { return nil }
            return Values(base: base, head: head)
        }
        self.cell = cell
        self.judged = Self.byName(judged)
        metrics = judged.compactMap { $0.alternatives.first { sides($0) != nil } }
        values = metrics.reduce(into: [:]) { $0[$1.name] = sides($1) }
        oneSided = judged.compactMap { judged in
            // Where others can stand in for it, the comparison says what is judged in its place.
            guard judged.alternatives.count == 1, let metric = judged.alternatives.first else { return nil }
            switch (base(metric), Self.values(of: metric, in: head)) {
            case (.some, nil): return (metric, .head)
            case (nil, .some): return (metric, .base)
            default: return nil
            }
        }
        whole = JudgedMetric.wholes.compactMap { base($0).flatMap(Distribution.init)?.median }.first
        self.shortage = shortage ?? Self.shortage(of: head, "head")
        phase = Self.peakPhase(of: head)
    }

    /// What changes of a metric are relative to: the whole, or one of its own units where it is no part of a whole.
    func scale(of metric: Metric) -> Double? {
        judged(metric)?.step == nil ? whole : 1
    }

    /// As what a metric is judged; `nil` of one that is not.
    func judged(_ metric: Metric) -> JudgedMetric? { judged[metric.name] }

    private static func byName(_ judged: [JudgedMetric]) -> [String: JudgedMetric] {
        Dictionary(judged.flatMap { one in one.alternatives.map { ($0.name, one) } }) { first, _ in first }
    }

    /// The values of the completed trials, or `nil` where one of them has none.
    private static func values(of metric: Metric, in trials: [Trial]) -> [Double]? {
        let completed = trials.filter(\.isCompleted)
        let values = completed.compactMap(metric.value)
        return values.isEmpty || values.count < completed.count ? nil : values
    }

    /// Every trial has to complete: those that a change kills, for want of memory say, would be the ones left out.
    private static func shortage(of trials: [Trial], _ side: String) -> String? {
        guard !trials.isEmpty else { return "the \(side) has no trials" }
        let failed = trials.filter { !$0.isCompleted }
        guard let first = failed.first else { return nil }
        return "\(failed.count) of \(trials.count) trials of the \(side) did not complete "
            + "(\(first.outcome.kind.rawValue): \(first.outcome.detail))"
    }

    /// The phase in which most trials peak.
    private static func peakPhase(of trials: [Trial]) -> Phase? {
        var counts: [Phase: Int] = [:]
        for phase in trials.filter(\.isCompleted).compactMap(\.peakPhase) {
            counts[phase, default: 0] += 1
        }
        return Phase.peaking.max { counts[$0, default: 0] < counts[$1, default: 0] }
    }
}
