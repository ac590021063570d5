// SPDX-License-Identifier: Apache-2.0

import MemProbe
package import Statistics
package import TrialKit

/// A figure of a trial: its names, its unit, its value, and the direction that is better.
///
/// The name is the column of `trials.csv` and the value of the column `metric` of `summary.csv`.
package struct Metric: Sendable {
    package typealias Unit = FigureDeclaration.Unit
    package typealias Direction = FigureDeclaration.Direction

    package let name: String
    package let shortName: String
    package let unit: Unit
    package let direction: Direction
    package let summary: String
    package let value: @Sendable (Trial) -> Double?
    /// The value that budgets use if the metric is not available, so that limits keep their meaning; mostly `nil`.
    private let standIn: (@Sendable (Trial) -> Double?)?
    private let atMost: (@Sendable (Trial) -> Double?)?

    package init(
        _ name: String, short: String, _ unit: Unit, _ summary: String, better direction: Direction = .lower,
        standIn: (@Sendable (Trial) -> Double?)? = nil, atMost: (@Sendable (Trial) -> Double?)? = nil,
        value: @escaping @Sendable (Trial) -> Double?
    ) {
        self.name = name
        shortName = short
        (self.unit, self.direction, self.summary) = (unit, direction, summary)
        (self.standIn, self.atMost) = (standIn, atMost)
        self.value = value
    }

    package func distribution(over trials: TrialList) -> Distribution? {
        Distribution(trials.ofCompleted(value))
    }

    /// Returns the value that a budget limits, or its upper bound.
    package func limitable(_ trial: Trial, isAtMost: Bool = false) -> Double? {
        (isAtMost ? atMost?(trial) : nil) ?? value(trial) ?? standIn?(trial)
    }
}

extension Metric {
    package static func figures(of phase: Phase) -> [Metric] {
        let name = phase.rawValue
        return [
            bytes(
                "\(name)_peak_resident_growth_bytes", short: "\(name)_peak",
                "the highest resident size of \(name), over the mark"
            ) {
                $0.peakResidentGrowth(in: phase)
            },
            bytes(
                "\(name)_peak_anonymous_growth_bytes", short: "\(name)_anonymous",
                "the highest anonymous memory of \(name), over the mark"
            ) {
                $0.peakAnonymousGrowth(in: phase)
            },
            nanoseconds("\(name)_duration_ns", short: "\(name)_duration", "how long \(name) took") {
                $0.reading(of: phase).map { $0.endNanoseconds - $0.startNanoseconds }
            },
            nanoseconds(
                "\(name)_cpu_ns", short: "\(name)_cpu",
                "the CPU time of the process in \(name)" + (phase == .fetch ? "; judged for a single fetch" : "")
            ) {
                $0.reading(of: phase)?.cpuNanoseconds
            },
            bytes(
                "\(name)_allocator_allocated_bytes", short: "\(name)_allocated",
                "bytes allocated at the end of \(name), from the allocator's statistics"
            ) {
                $0.reading(of: phase)?.end.allocator?.allocated
            },
            bytes(
                "\(name)_allocator_resident_bytes", short: "\(name)_allocator_resident",
                "resident bytes at the end of \(name), from the allocator's statistics"
            ) {
                $0.reading(of: phase)?.end.allocator?.resident
            },
        ]
    }

    package static func duration(of phase: Phase) -> Metric { figures(of: phase)[2] }
    package static func cpu(of phase: Phase) -> Metric { figures(of: phase)[3] }
    package static func allocated(at phase: Phase) -> Metric { figures(of: phase)[4] }
    package static func allocatorResident(at phase: Phase) -> Metric { figures(of: phase)[5] }
}

/// The metrics of the control group in which a trial ran, which has those of commands and modes alike.
extension Metric {
    package static let chargedPeak = bytes(
        "charged_peak_bytes", short: "charged_peak",
        "the most that the trial's control group was charged, as a container would be"
    ) { $0.charge?.peak.total }
    package static let chargedGrowth = bytes(
        "charged_growth_bytes", short: "charged_growth",
        "the highest charge from fetch to render, over the charge at the mark; of commands none"
    ) { $0.charge?.growth }
    package static let refaultedPages = Metric(
        "refaulted_pages", short: "refaulted_pages", .ratio,
        "pages that were reclaimed for the limit of a container and had to be read again"
    ) { $0.charge?.reclaim.map { Double($0.refaultedPages) } }

    static let ofControlGroups = [
        chargedPeak, chargedGrowth,
        part("anonymous", "the anonymous memory in the highest sampled charge, which cannot be reclaimed") {
            $0.anonymous
        },
        part(
            "page_cache", "the page cache in the highest sampled charge, which can be reclaimed once it is on its drive"
        ) { $0.pageCache },
        part("shared_memory", "shared memory and files in memory in the highest sampled charge") { $0.sharedMemory },
        part("sockets", "the buffers of network sockets in the highest sampled charge") { $0.sockets },
        part("kernel", "page tables, stacks and other memory of the kernel in the highest sampled charge") {
            $0.kernel
        },
        refaultedPages,
    ]

    private static func part(
        _ name: String, _ summary: String, _ size: @escaping @Sendable (MemoryCharge) -> ByteCount?
    ) -> Metric {
        bytes("charged_\(name)_bytes", short: "charged_\(name)", summary, better: .neither) { trial in
            trial.charge?.highest.flatMap(size)
        }
    }
}

/// The metrics that only commands have, over all their processes.
extension Metric {
    package static let largestProcessPeak = bytes(
        "largest_process_peak_bytes", short: "largest_process",
        "of a command: the peak of its largest process, below which its own peak cannot be", better: .neither
    ) { trial in
        trial.report?.command.flatMap { trace in
            (trace.processes.map(\.peak.resident) + trace.others.map(\.largestPeak)).max()
        }
    }
    package static let sumOfPeaks = bytes(
        "sum_of_peaks_bytes", short: "sum_of_peaks",
        "of a command: the sum of the processes' peaks, an upper bound of the command's peak", better: .neither
    ) { $0.report?.command?.sumOfPeaks }
    package static let sumOfNetPeaks = bytes(
        "sum_of_net_peaks_bytes", short: "sum_of_net_peaks",
        "of a command with several processes: their peaks without program pages together, whenever each had its own",
        better: .neither
    ) { trial in
        guard let trace = trial.report?.command, trace.processes.count > 1, trace.others.isEmpty else { return nil }
        let peaks = trace.processes.compactMap(\.netPeak)
        return peaks.count == trace.processes.count ? peaks.reduce(.zero, +) : nil
    }
    package static let peakErrorBound = bytes(
        "peak_error_bound_bytes", short: "error_bound",
        "of a command: how far the truth can be from its peak", better: .neither
    ) { $0.report?.command?.peak.errorBound }
    package static let processes = Metric(
        "processes", short: "processes", .ratio, "of a command: number of processes with separate memory",
        better: .neither
    ) { $0.report?.command.map { Double($0.processCount) } }
    package static let threads = Metric(
        "threads", short: "threads", .ratio, "of a command: the most threads that one of its processes had",
        better: .neither
    ) { trial in
        trial.report?.command.flatMap { trace in
            (trace.processes.map(\.threads) + trace.others.map(\.threads)).max().map(Double.init)
        }
    }

    package static let tracing = nanoseconds(
        "tracing_ns", short: "tracing",
        "of a command: about how long the stops of tracing held it up", better: .neither
    ) { $0.report?.command?.tracingNanoseconds }

    static let ofCommands = [peakErrorBound, largestProcessPeak, sumOfPeaks, processes, threads]

    package init(_ figure: FigureDeclaration, of scenarios: Set<String>) {
        self.init(
            figure.name, short: figure.shortName, figure.unit, figure.summary, better: figure.better,
            value: { trial in
                guard let reading = trial.report?.scenario else { return nil }
                guard figure.isMade else { return reading.figures[figure.name] }
                let isTheirs = scenarios.contains(trial.cell.scenarioName)
                return isTheirs ? Self.value(of: figure, in: trial) : nil
            })
    }

    private static func value(of figure: FigureDeclaration, in trial: Trial) -> Double? {
        if let series = figure.slopeOf { return RepetitionTrend.slope(of: series, in: trial) }
        if let reading = figure.readingOf { return value(of: reading, in: trial) }
        return figure.quotient.flatMap { value(of: $0, in: trial) }
    }

    private static func value(of reading: SeriesReading, in trial: Trial) -> Double? {
        guard let baseline = trial.baseline, let series = trial.report?.scenario?.series[reading.series],
            series.indices.contains(reading.index)
        else { return nil }
        return Double(series[reading.index] - baseline.resident.rawValue)
    }

    private static func value(of quotient: FigureQuotient, in trial: Trial) -> Double? {
        guard var value = term(quotient.of, in: trial) else { return nil }
        for name in quotient.less {
            guard let less = term(name, in: trial) else { return nil }
            value -= less
        }
        var divisor = 1.0
        for name in quotient.by {
            guard let factor = term(name, in: trial) else { return nil }
            divisor *= factor
        }
        guard divisor > 0, divisor >= quotient.smallestDivisor ?? 0 else { return nil }
        // A divisor near 0 makes what no table and no judgement can take.
        let made = value / divisor
        return made.magnitude <= Limits.largestFigure ? made : nil
    }

    /// Returns a term of a quotient: a figure of the report, the asset's size, or a metric of every trial.
    private static func term(_ name: String, in trial: Trial) -> Double? {
        if let answered = trial.report?.scenario?.figures[name] { return answered }
        if name == assetBytes { return trial.assetByteCount.map { Double($0.rawValue) } }
        return MetricCatalog.ofEveryTrial[name]?.value(trial)
    }

    private static let assetBytes = "asset_bytes"
}
