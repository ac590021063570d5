// SPDX-License-Identifier: Apache-2.0

package import MemProbe

/// The processes of one name within a run.
package struct ExecProcess: Codable, Hashable, Sendable {
    /// The name of the program, as the kernel has it.
    package var name: String
    /// How many there were.
    package var count: Int
    /// The largest peak of one of them.
    package var peak: ByteCount
    /// The most threads that one of them had.
    package var threads: Int

    package init(name: String, count: Int, peak: ByteCount, threads: Int) {
        self.name = name
        self.count = count
        self.peak = peak
        self.threads = threads
    }

    private enum CodingKeys: String, CodingKey {
        case name, count, threads
        case peak = "peak_resident_bytes"
    }
}

/// What one run of a command cost.
package struct ExecMeasurement: Codable, Hashable, Sendable {
    /// How many names of processes are kept; a build may start thousands.
    private static let mostNames = 30

    /// The most that the command and all that it started held at the same time: of a single process exact, of several
    /// as sampled.
    package var peak: PeakReading
    /// The same without program pages, or `nil` where these are not known.
    package var netPeak: ByteCount?
    /// The program pages within the peak, or `nil` where they are not known.
    package var programPages: ByteCount?
    /// The sum of the peaks of all processes, which bounds the peak of the command from above.
    package var sumOfPeaks: ByteCount
    /// How many processes had memory of their own.
    package var processCount: Int
    /// The most threads that one process had.
    package var threads: Int
    /// From the start to the end of the command itself, in nanoseconds.
    package var durationNanoseconds: Int
    /// The CPU time of all processes, in nanoseconds.
    package var cpuNanoseconds: Int
    /// How the peaks were found.
    package var method: CommandTrace.Method
    /// Why they were not found exactly, or `nil`.
    package var methodReason: String?
    /// What those processes held of which nothing told whether it was their parent's memory, or `nil`.
    package var undecided: ByteCount?
    /// The processes by name, the largest first; of very many the largest alone.
    package var processes: [ExecProcess]
    /// The names of processes that outlived the command, and were killed for that.
    package var outlived: [String]

    /// What a trace says.
    package init(_ trace: CommandTrace) {
        peak = trace.peak
        netPeak = trace.netPeak
        programPages = trace.programPages
        sumOfPeaks = trace.processes.reduce(.zero) { $0 + $1.peak.resident }
        processCount = trace.processes.count
        threads = trace.processes.map(\.threads).max() ?? 0
        durationNanoseconds = trace.endNanoseconds - trace.startNanoseconds
        cpuNanoseconds = trace.cpuNanoseconds
        method = trace.method
        methodReason = trace.methodReason
        undecided = trace.undecided
        outlived = Set(trace.processes.filter(\.outlived).map(\.name)).sorted()
        processes = Array(Self.byName(trace.processes).prefix(Self.mostNames))
    }

    /// The name that held the most.
    package var largest: ExecProcess? { processes.first }

    private static func byName(_ traces: [ProcessTrace]) -> [ExecProcess] {
        var found: [String: ExecProcess] = [:]
        for trace in traces {
            let before = found[trace.name]
            found[trace.name] = ExecProcess(
                name: trace.name, count: (before?.count ?? 0) + 1,
                peak: max(before?.peak ?? .zero, trace.peak.resident),
                threads: max(before?.threads ?? 0, trace.threads))
        }
        return found.values.sorted { ($1.peak, $0.name) < ($0.peak, $1.name) }
    }

    private enum CodingKeys: String, CodingKey {
        case peak, threads, method, processes, outlived
        case netPeak = "net_peak_bytes"
        case programPages = "program_bytes"
        case sumOfPeaks = "sum_of_peaks_bytes"
        case processCount = "process_count"
        case durationNanoseconds = "duration_ns"
        case cpuNanoseconds = "cpu_ns"
        case methodReason = "method_reason"
        case undecided = "undecided_bytes"
    }
}
