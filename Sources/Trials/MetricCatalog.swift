// SPDX-License-Identifier: Apache-2.0

import MemProbe
package import TrialKit

/// The metrics of a run: those of every trial, and those that the scenarios of its programs declare.
///
/// Columns, summary, names in budgets and `fetchbench list metrics` are derived from the list ``all``.
package struct MetricCatalog: Sendable {
    package let scenarios: [ScenarioDeclaration]
    package let all: [Metric]
    private let byName: [String: Metric]

    package static let ofEveryTrial = MetricCatalog([])

    /// Adds the metrics of scenarios; the first one of a name counts.
    package init(_ scenarios: [ScenarioDeclaration]) {
        self.scenarios = scenarios
        let names = scenarios.reduce(into: [String: Set<String>]()) { names, scenario in
            for figure in scenario.figures ?? [] { names[figure.name, default: []].insert(scenario.name) }
        }
        let declared = scenarios.flatMap { $0.figures ?? [] }.map { Metric($0, of: names[$0.name] ?? []) }
        // The metrics of every trial take precedence, since a stored run may declare any name.
        let own = Set((Metric.beforeScenarios + Metric.afterScenarios).map(\.name))
        all = Metric.beforeScenarios + Self.once(declared).filter { !own.contains($0.name) } + Metric.afterScenarios
        byName = Dictionary(all.map { ($0.name, $0) }) { first, _ in first }
    }

    package subscript(name: String) -> Metric? { byName[name] }

    package var words: Set<String> { Set(all.flatMap { [$0.name, $0.shortName] }) }

    package func scenario(of cell: Case) -> ScenarioDeclaration? {
        scenarios.first { $0.name == cell.scenarioName }
    }

    /// Returns the judged metrics of a case: its memory, and the deciding figures of its scenario, or the processor time of
    /// its single fetch.
    package func judged(of cell: Case) -> [JudgedMetric] {
        guard cell.scenarioName == ScenarioChoice.none.name else {
            return JudgedMetric.memory + (scenario(of: cell).map(deciding(_:)) ?? [])
        }
        return JudgedMetric.memory + (cell.isPlain ? [] : [.processor])
    }

    /// Returns the metrics of a case in a baseline: the judged ones and the wholes that changes are relative to.
    package func stored(of cell: Case) -> [Metric] {
        judged(of: cell).flatMap(\.alternatives) + JudgedMetric.wholes
    }

    package var judged: [Metric] {
        Self.once((JudgedMetric.memory + scenarios.flatMap(deciding(_:))).map { $0.alternatives[0] })
    }

    private func deciding(_ scenario: ScenarioDeclaration) -> [JudgedMetric] {
        (scenario.figures ?? []).compactMap { figure in
            guard let step = figure.decides, let metric = byName[figure.name] else { return nil }
            return JudgedMetric(.scenario, [metric], step: step)
        }
    }

    private static func once(_ metrics: [Metric]) -> [Metric] {
        var seen: Set<String> = []
        return metrics.filter { seen.insert($0.name).inserted }
    }
}

extension Metric {
    package static let peakResidentGrowth = bytes(
        "peak_resident_growth_bytes", short: "growth",
        "the highest resident size from fetch to render, over the mark after the warm-up"
    ) { $0.peakResidentGrowth }
    package static let peakAnonymousGrowth = bytes(
        "peak_anonymous_growth_bytes", short: "anonymous",
        "the highest anonymous memory from fetch to render, over the mark; judged"
    ) { $0.peakAnonymousGrowth }
    package static let copiesHeld = Metric(
        "copies_held_ratio", short: "k", .ratio,
        "k: copies of the file in memory at the peak of the fetch, before anything is decoded (growth ÷ size)"
    ) { $0.copiesHeld }
    package static let retainedResidentGrowth = bytes(
        "retained_resident_growth_bytes", short: "retained",
        "resident memory left after everything was released, relative to the mark"
    ) { $0.retainedResidentGrowth }
    package static let retainedAnonymousGrowth = bytes(
        "retained_anonymous_growth_bytes", short: "retained_anonymous",
        "anonymous memory left after everything was released, relative to the mark"
    ) { $0.retainedAnonymousGrowth }
    package static let pageCache = bytes(
        "page_cache_bytes", short: "page_cache",
        "page cache of the fetched file (belongs to no process)", better: .neither
    ) { $0.report?.body?.pageCache }
    package static let sampledMaximum = bytes(
        "sampled_maximum_resident_growth_bytes", short: "sampled_maximum",
        "the largest sample, relative to the mark: the peak as a sampler alone would see it", better: .neither
    ) { $0.sampledMaximumGrowth }
    package static let verificationCPU = nanoseconds(
        "verification_cpu_ns", short: "verification_cpu", "the CPU time of hashing the body", better: .neither
    ) { $0.report?.body?.verificationCPUNanoseconds }
    package static let processDuration = nanoseconds(
        "process_duration_ns", short: "process_duration", "from spawning the process to its end"
    ) { $0.processNanoseconds }
    package static let baselineResident = bytes(
        "baseline_resident_bytes", short: "baseline_resident",
        "the resident size at the mark after the warm-up; of commands their peak with a body of 1 KiB"
    ) { $0.countsFromNothing ? nil : $0.baseline?.resident }
    package static let baselineAnonymous = bytes(
        "baseline_anonymous_bytes", short: "baseline_anonymous",
        "the anonymous memory at the mark: the cost of start and warm-up; judged"
    ) { $0.countsFromNothing ? nil : $0.baseline?.anonymous }
    package static let peakResident = bytes(
        "peak_resident_bytes", short: "whole_peak",
        "the whole process at its peak, program pages included: printed, never judged", better: .neither
    ) { trial in
        Phase.peaking.compactMap { trial.reading(of: $0)?.peak.resident }.max()
    }
    package static let peakAnonymous = bytes(
        "peak_anonymous_bytes", short: "whole_anonymous",
        "the whole anonymous memory at its highest from fetch to render"
    ) { trial in
        trial.anonymousPeaks.filter { Phase.peaking.contains($0.phase) }.map(\.proven).max()
    }
    package static let netPeak = bytes(
        "net_peak_bytes", short: "net_peak",
        "the whole process at its peak without program pages; changes are relative to it", atMost: \.jointPeakAtMost
    ) { $0.netPeak }
    /// The judged peak growth: the net peak over the net baseline, independent of the location of the program's file.
    package static let netPeakGrowth = bytes(
        "net_peak_growth_bytes", short: "peak",
        "peak growth without program pages, of plain commands the whole peak without them; judged",
        standIn: JudgedMetric.growthWithProgramPages.value, atMost: \.jointGrowthAtMost
    ) { $0.netPeakGrowth }
    package static let baselineProgramPages = bytes(
        "baseline_program_bytes", short: "baseline_program_pages",
        "resident pages of the program and its libraries at the mark", better: .neither
    ) { $0.countsFromNothing ? nil : $0.baseline?.programPages }
    package static let programPages = bytes(
        "program_bytes", short: "program_pages",
        "resident pages of the program and its libraries at the end of the phase that peaks", better: .neither
    ) { $0.programPages }
    package static let purgedResidentGrowth = bytes(
        "purged_resident_growth_bytes", short: "purged",
        "resident memory left after the allocator was purged, relative to the mark"
    ) { trial in
        guard let baseline = trial.baseline, let purged = trial.report?.purged else { return nil }
        return purged.memory.resident - baseline.resident
    }
    package static let bitmap = bytes(
        "bitmap_bytes", short: "bitmap", "the bitmaps alive at the end of render, by their own ledger", better: .neither
    ) { $0.report?.picture?.bitmapByteCount }

    /// The encoded copies held beside the picture: (anonymous memory at the end of `render` − bitmaps) ÷ asset size.
    ///
    /// It is not k, which counts before anything is decoded; `nil` if no picture was.
    package static let copiesBesideBitmap = Metric(
        "copies_beside_bitmap_ratio", short: "copies_beside_bitmap", .ratio,
        "(anonymous memory at the end of render − bitmaps) ÷ asset size: encoded copies held besides the picture"
    ) { trial in
        guard let baseline = trial.baseline, let end = trial.reading(of: .render)?.end.memory,
            let picture = trial.report?.picture, let size = trial.requestedByteCount, size.rawValue > 0
        else { return nil }
        // Read at the end: a decoder at work has memory of its own, such as a progressive picture's coefficients.
        let growth = end.anonymous - baseline.anonymous
        return Double((growth - picture.bitmapByteCount).rawValue) / Double(size.rawValue)
    }

    package static let pictureFallbacks = Metric(
        "picture_fallbacks", short: "picture_fallbacks", .ratio,
        "how many pictures of a mode that shows them itself are the fallback, because the body cannot be decoded",
        better: .neither
    ) { $0.report?.picture?.fallbackCount.map(Double.init) }

    package static let decodedRecords = Metric(
        "decoded_records", short: "decoded_records", .ratio,
        "how many records render model json decoded, compared with the asset's; held through the phase render",
        better: .neither
    ) { $0.report?.recordCount.map(Double.init) }

    static let beforeScenarios: [Metric] =
        [baselineResident, baselineAnonymous, peakResidentGrowth, peakAnonymousGrowth, copiesHeld]
        + Phase.measured.flatMap { figures(of: $0) }
        + [
            retainedResidentGrowth, retainedAnonymousGrowth, pageCache, sampledMaximum, verificationCPU,
            processDuration, purgedResidentGrowth, bitmap, copiesBesideBitmap, peakResident,
            peakAnonymous, netPeakGrowth, netPeak, baselineProgramPages, programPages,
        ]
    /// The metrics of every trial that were added later, so that older columns keep their positions.
    static let afterScenarios =
        [pictureFallbacks] + ofCommands + [decodedRecords, tracing, sumOfNetPeaks] + ofControlGroups

    static func bytes(
        _ name: String, short: String, _ summary: String, better direction: Direction = .lower,
        standIn: (@Sendable (Trial) -> Double?)? = nil,
        atMost: @escaping @Sendable (Trial) -> ByteCount? = { _ in nil },
        _ value: @escaping @Sendable (Trial) -> ByteCount?
    ) -> Metric {
        @Sendable func number(_ size: ByteCount?) -> Double? { size.map { Double($0.rawValue) } }
        return Metric(
            name, short: short, .bytes, summary, better: direction, standIn: standIn, atMost: { number(atMost($0)) },
            value: { number(value($0)) })
    }

    static func nanoseconds(
        _ name: String, short: String, _ summary: String, better direction: Direction = .lower,
        _ value: @escaping @Sendable (Trial) -> Int?
    ) -> Metric {
        Metric(name, short: short, .nanoseconds, summary, better: direction) { trial in value(trial).map(Double.init) }
    }
}

/// A metric that a check judges: only the program's own memory, independent of the location of its file.
///
/// The whole peak is shown but not judged: it includes program pages, which depend on the page cache and differ by
/// megabytes between two files with the same bytes.
package struct JudgedMetric: Sendable {
    package enum Part: String, Codable, Hashable, Sendable, CaseIterable {
        /// The fetching and rendering, from the mark that ends the warm-up.
        case fetchPath = "fetch_path"
        /// The memory of the process after its start and a fetch of 1 KiB.
        case startAndWarmup = "start_and_warm_up"
        /// The figures of a scenario, such as what each request leaves allocated.
        case scenario
        case command

        package func words(ofServer isServer: Bool) -> String {
            switch self {
            case .fetchPath: isServer ? "requests" : "fetch path"
            case .startAndWarmup: "start and warm-up"
            case .scenario: "scenario"
            case .command: "command"
            }
        }
    }

    package let part: Part
    /// The possible metrics, the best first; all sides of a comparison need the one that is judged.
    package let alternatives: [Metric]
    /// The change that counts, in the metric's unit; `nil` for memory, which is judged relative to a whole.
    package let step: DecidingStep?

    init(_ part: Part, _ alternatives: [Metric], step: DecidingStep? = nil) {
        (self.part, self.alternatives, self.step) = (part, alternatives, step)
    }

    /// The growth of a trial with program pages, or `nil` for a command whose growth is its whole memory.
    ///
    /// It is used if program pages cannot be read: they add tens of KiB to a growth, but megabytes to a whole.
    package static let growthWithProgramPages = Metric(
        Metric.peakResidentGrowth.name, short: Metric.peakResidentGrowth.shortName, .bytes,
        Metric.peakResidentGrowth.summary
    ) { $0.countsFromNothing ? nil : Metric.peakResidentGrowth.value($0) }

    /// The processor time of a fetch, judged relative to the time that it took: a client that spins while it waits takes
    /// the same memory.
    package static let processor = JudgedMetric(.fetchPath, [processorTime])
    package static let processorTime = Metric.cpu(of: .fetch)

    package var isProcessor: Bool { alternatives[0].name == Self.processorTime.name }

    package static let memory = [
        JudgedMetric(.fetchPath, [.netPeakGrowth, growthWithProgramPages]),
        JudgedMetric(.fetchPath, [.peakAnonymousGrowth]),
        JudgedMetric(.startAndWarmup, [.baselineAnonymous]),
    ]

    /// The wholes that changes are relative to, the best first.
    package static let wholes: [Metric] = [.netPeak, .peakAnonymous]
}
