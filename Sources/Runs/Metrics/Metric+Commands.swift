// SPDX-License-Identifier: Apache-2.0

import MemProbe
import TrialKit

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
        "of a command: the peaks of its processes together, above which its own peak cannot be", better: .neither
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

    /// The first metrics of commands, in the order of the columns.
    static let ofCommands = [peakErrorBound, largestProcessPeak, sumOfPeaks, processes, threads]
}
