// SPDX-License-Identifier: Apache-2.0

import MemProbe

/// What two sides measured of one case: the values of each judged metric, and how many trials gave none.
struct CaseValues: Hashable, Sendable {
    /// The values of one metric, in the order measured.
    struct Values: Hashable, Sendable {
        var base: [Double]
        var head: [Double]
    }

    /// The case.
    let cell: Case
    /// The values by the name of the metric.
    var values: [String: Values]
    /// What is wrong with the trials of a side, in words, or `nil` where enough completed.
    var shortage: String?
    /// The phase in which the head peaks.
    var phase: Phase?

    /// The values of pairs of trials.
    init(_ cell: Case, _ pairs: PairedTrials) {
        self.cell = cell
        values = Dictionary(
            uniqueKeysWithValues: Metric.judged.map { metric in
                (
                    metric.name,
                    Values(base: Self.values(of: metric, in: pairs.base), head: Self.values(of: metric, in: pairs.head))
                )
            })
        shortage = Self.shortage(of: pairs.base, "base") ?? Self.shortage(of: pairs.head, "head")
        phase = Self.peakPhase(of: pairs.head)
    }

    /// The values of a stored series and of trials.
    init(_ cell: Case, baseline: [String: Baseline.Series], head: [Trial]) {
        self.cell = cell
        values = Dictionary(
            uniqueKeysWithValues: Metric.judged.compactMap { metric in
                guard let series = baseline[metric.name] else { return nil }
                return (metric.name, Values(base: series.trials, head: Self.values(of: metric, in: head)))
            })
        shortage = Self.shortage(of: head, "head")
        phase = Self.peakPhase(of: head)
    }

    private static func values(of metric: Metric, in trials: [Trial]) -> [Double] {
        trials.filter(\.isCompleted).compactMap(metric.value)
    }

    /// Every trial has to complete: those that a change kills, for want of memory say, would be the ones left out.
    private static func shortage(of trials: [Trial], _ side: String) -> String? {
        guard !trials.isEmpty else { return "the \(side) has no trials" }
        let failed = trials.filter { !$0.isCompleted }
        guard let first = failed.first else { return nil }
        return "\(failed.count) of \(trials.count) trials of the \(side) did not complete "
            + "(\(first.outcome.kind.rawValue): \(first.outcome.detail))"
    }

    /// The phase in which most trials reach their highest peak first.
    ///
    /// What is held on is as high in the next phase, give or take pages: a difference that would not count is none.
    private static func peakPhase(of trials: [Trial]) -> Phase? {
        var counts: [Phase: Int] = [:]
        for trial in trials where trial.isCompleted {
            let peaks = Phase.peaking.compactMap { phase in
                trial.reading(of: phase).map { (phase: phase, peak: $0.peak.resident) }
            }
            let highest = peaks.map(\.peak).max() ?? .zero
            let first = peaks.first { $0.peak + .kibibytes(256) >= highest }
            if let first { counts[first.phase, default: 0] += 1 }
        }
        return Phase.peaking.max { counts[$0, default: 0] < counts[$1, default: 0] }
    }
}
