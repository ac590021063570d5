// SPDX-License-Identifier: Apache-2.0

import MemProbe
package import Runs
package import Statistics

/// One figure of a run: its column, its unit, and how it is read.
package struct ExecFigure: Sendable {
    /// The column and the name in JSON.
    package let name: String
    /// The unit of the values.
    package let unit: CostFigure.Unit
    /// Its value, or `nil` where the machine does not give it.
    package let value: @Sendable (ExecMeasurement) -> Double?

    private init(
        _ name: String, _ unit: CostFigure.Unit, _ value: @escaping @Sendable (ExecMeasurement) -> Double?
    ) {
        self.name = name
        self.unit = unit
        self.value = value
    }

    /// The most that the command and all that it started held at once.
    package static let peak = ExecFigure("peak_resident_bytes", .bytes) { Double($0.peak.resident.rawValue) }
    /// How far the truth can be from it.
    package static let errorBound = ExecFigure("peak_error_bound_bytes", .bytes) { Double($0.peak.errorBound.rawValue) }
    /// The peak without program pages.
    package static let netPeak = ExecFigure("net_peak_bytes", .bytes) { $0.netPeak.map { Double($0.rawValue) } }
    /// The program pages within the peak.
    package static let programPages = ExecFigure("program_bytes", .bytes) {
        $0.programPages.map { Double($0.rawValue) }
    }
    /// The peak of the largest process, which the peak of the command cannot be below.
    package static let largestPeak = ExecFigure("largest_process_peak_bytes", .bytes) {
        $0.largest.map { Double($0.peak.rawValue) }
    }
    /// The sum of the peaks of all processes, which the peak of the command cannot be above.
    package static let sumOfPeaks = ExecFigure("sum_of_peaks_bytes", .bytes) { Double($0.sumOfPeaks.rawValue) }
    /// The processes that had memory of their own.
    package static let processes = ExecFigure("processes", .count) { Double($0.processCount) }
    /// The most threads of one process.
    package static let threads = ExecFigure("threads", .count) { Double($0.threads) }
    /// From the start to the end of the command itself.
    package static let duration = ExecFigure("duration_ns", .nanoseconds) { Double($0.durationNanoseconds) }
    /// The CPU time of all processes.
    package static let cpu = ExecFigure("cpu_ns", .nanoseconds) { Double($0.cpuNanoseconds) }

    /// All of them, in the order of the columns.
    package static let all = [
        peak, errorBound, netPeak, programPages, largestPeak, sumOfPeaks, processes, threads, duration, cpu,
    ]
}

/// What was measured of one case.
package struct ExecRow: Hashable, Sendable {
    /// The case.
    package let cell: ExecCase
    /// The runs that count.
    package let trials: [ExecTrial]
    /// The first run that went wrong, after which there were no more, or `nil`.
    package let failure: ExecTrial?

    /// The runs of a case among all runs.
    package init(_ cell: ExecCase, _ trials: [ExecTrial], _ settings: ExecSettings) {
        let own = trials.filter { $0.name == cell.name }
        self.cell = cell
        self.trials = own.filter { $0.counts(settings) }
        failure = own.first { !$0.isGood(settings) }
    }

    /// The values of a figure over the runs that count; `nil` where the machine does not give it.
    package func values(of figure: ExecFigure) -> Distribution? {
        Distribution(series(of: figure))
    }

    /// The same in the order in which they were measured.
    package func series(of figure: ExecFigure) -> [Double] {
        trials.compactMap { $0.measurement.flatMap(figure.value) }
    }
}
