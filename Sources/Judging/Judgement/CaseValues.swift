// SPDX-License-Identifier: Apache-2.0

package import Runs

package struct CaseValues: Sendable {
    package struct Values: Hashable, Sendable {
        let strata: [Stratum]

        init(_ strata: [Stratum]) { self.strata = strata }

        package init(base: [Double], head: [Double]) { strata = [Stratum(base: base, head: head)] }

        var base: [Double] { strata.flatMap(\.base) }
        var head: [Double] { strata.flatMap(\.head) }
    }

    package let cell: Case
    /// The identifiers of the hosts; empty unless shards were measured on several.
    let hosts: [String]
    /// The judged metrics: of each group of alternatives the first that every trial of both sides has.
    let metrics: [Metric]
    let values: [String: Values]
    private let judged: [String: JudgedMetric]
    let oneSided: [(metric: Metric, lacking: ComparedSide)]
    /// The reference of memory changes: the median of the base's net peaks, of several hosts the mean of theirs.
    private let whole: Double?
    /// The reference of changes in processor time: the median duration of the head's fetches, in nanoseconds.
    private let time: Double?
    let shortage: String?
    let phase: Phase?

    init(_ cell: Case, _ pairs: PairedTrials, judging judged: [JudgedMetric]) {
        self.init(cell, hosts: ["": pairs], judging: judged)
    }

    init(_ cell: Case, hosts: [String: PairedTrials], judging judged: [JudgedMetric]) {
        let sorted = hosts.sorted { $0.key < $1.key }
        self.init(
            cell, judged, hosts: sorted.count > 1 ? sorted.map(\.key) : [],
            sides: sorted.map { _, pairs in (base: { Self.values(of: $0, in: pairs.base) }, head: pairs.head) },
            shortage: Self.shortage(of: sorted.flatMap(\.value.base), "base"))
    }

    init(_ cell: Case, baseline: [String: Baseline.Series], head: [Trial], judging judged: [JudgedMetric]) {
        self.init(cell, judged, sides: [(base: { baseline[$0.name]?.trials }, head: head)], shortage: nil)
    }

    package init(
        _ cell: Case, _ values: [(metric: Metric, values: Values)], sums: Values? = nil, whole: Double,
        time: Double? = nil
    ) {
        self.cell = cell
        metrics = values.map(\.metric)
        self.values = values.reduce(into: [Metric.sumOfNetPeaks.name: sums].compactMapValues(\.self)) {
            $0[$1.metric.name] = $1.values
        }
        judged = Self.byName(JudgedMetric.memory + [.processor])
        (self.whole, self.time) = (whole, time)
        (hosts, oneSided, shortage, phase) = ([], [], nil, nil)
    }

    private init(
        _ cell: Case, _ judged: [JudgedMetric], hosts: [String] = [],
        sides: [(base: (Metric) -> [Double]?, head: [Trial])], shortage: String?
    ) {
        // A figure counts if every host has it.
        func base(_ metric: Metric) -> [[Double]]? { Self.all(sides.map { $0.base(metric) }) }
        func head(_ metric: Metric) -> [[Double]]? { Self.all(sides.map { Self.values(of: metric, in: $0.head) }) }
        func values(_ metric: Metric) -> Values? {
            guard let base = base(metric), let head = head(metric) else { return nil }
            return Values(zip(base, head).map { Stratum(base: $0, head: $1) })
        }
        let heads = sides.flatMap(\.head)
        (self.hosts, self.cell) = (hosts, cell)
        self.judged = Self.byName(judged)
        metrics = judged.compactMap { $0.alternatives.first { values($0) != nil } }
        self.values = (metrics + [.sumOfNetPeaks]).reduce(into: [:]) { $0[$1.name] = values($1) }
        oneSided = judged.compactMap { judged in
            // The comparison warns about metrics that are replaced by an alternative.
            // Older baselines have no processor time.
            guard judged.alternatives.count == 1, !judged.isProcessor, let metric = judged.alternatives.first
            else { return nil }
            switch (base(metric), head(metric)) {
            case (.some, nil): return (metric, .head)
            case (nil, .some): return (metric, .base)
            default: return nil
            }
        }
        time = head(.duration(of: .fetch)).flatMap(Self.meanOfMedians)
        whole = JudgedMetric.wholes.compactMap { base($0).flatMap(Self.meanOfMedians) }.first
        self.shortage = shortage ?? Self.shortage(of: heads, "head")
        phase = Self.peakPhase(of: heads)
    }

    private static func all(_ values: [[Double]?]) -> [[Double]]? {
        let known = values.compactMap(\.self)
        return known.isEmpty || known.count < values.count ? nil : known
    }

    /// Returns the mean of the hosts' medians: of a single host its median.
    static func meanOfMedians(_ values: [[Double]]) -> Double? {
        let medians = values.compactMap { Distribution($0)?.median }
        return medians.isEmpty ? nil : medians.reduce(0, +) / Double(medians.count)
    }

    /// Returns the reference of a metric's changes: the whole for memory, the fetch's time for that of the processor, 1 for
    /// a scenario's figure.
    func scale(of metric: Metric) -> Double? {
        guard let judged = judged(metric) else { return whole }
        if judged.isProcessor { return time }
        return judged.step == nil ? whole : 1
    }

    func judged(_ metric: Metric) -> JudgedMetric? { judged[metric.name] }

    private static func byName(_ judged: [JudgedMetric]) -> [String: JudgedMetric] {
        Dictionary(judged.flatMap { one in one.alternatives.map { ($0.name, one) } }) { first, _ in first }
    }

    private static func values(of metric: Metric, in trials: [Trial]) -> [Double]? {
        let completed = trials.filter(\.isCompleted)
        let values = completed.compactMap(metric.value)
        return values.isEmpty || values.count < completed.count ? nil : values
    }

    /// Returns a reason unless every trial completed: those killed by a change, out of memory say, would go unnoticed.
    private static func shortage(of trials: [Trial], _ side: String) -> String? {
        guard !trials.isEmpty else { return "the \(side) has no trials" }
        let failed = trials.filter { !$0.isCompleted }
        guard let first = failed.first else { return nil }
        return "\(failed.count) of \(trials.count) trials of the \(side) did not complete "
            + "(\(first.outcome.kind.rawValue): \(first.outcome.detail))"
    }

    private static func peakPhase(of trials: [Trial]) -> Phase? {
        var counts: [Phase: Int] = [:]
        for phase in trials.filter(\.isCompleted).compactMap(\.peakPhase) {
            counts[phase, default: 0] += 1
        }
        return Phase.peaking.max { counts[$0, default: 0] < counts[$1, default: 0] }
    }
}
