// SPDX-License-Identifier: Apache-2.0

/// The cost of one run of a command: of each of its processes, and of all of them at once.
public struct CommandTrace: Codable, Hashable, Sendable {
    /// A method of finding the peaks.
    public enum Method: String, Codable, Hashable, Sendable, CaseIterable {
        /// `VmHWM`, read while each process is stopped at its end: nothing is missed.
        case exitStops = "exit_stops"
        /// `VmHWM`, read repeatedly: growth after a process's last reading is missed.
        case polled = "polled_high_water_mark"
    }

    /// The method by which the peaks were found.
    public var method: Method
    /// The reason why the peaks are not exact, or `nil` if they are.
    public var methodReason: String?
    /// The command's exit status, or `nil` if a signal ended it.
    public var exitStatus: Int32?
    /// The signal that ended the command, or `nil`.
    public var signal: Int32?
    /// True if the command was killed at its time limit.
    public var timedOut: Bool
    /// The largest sample of all processes together, without program pages, if they were killed for exceeding the limit,
    /// else `nil`.
    public var overLimit: ByteCount?
    /// The time at which the command was started, in nanoseconds of `CLOCK_MONOTONIC`.
    public var startNanoseconds: Int
    /// The time at which the command itself had ended; its descendants may have lived on.
    public var endNanoseconds: Int
    /// An estimate of the time by which tracing delayed the command, in nanoseconds; `nil` for a polled one.
    ///
    /// It is the time for which stopped threads waited to be handled, as if nothing else had gone on meanwhile, and
    /// 30 µs for each stop, in which the kernel changes to the tracer and back.
    public var tracingNanoseconds: Int?
    /// The CPU time of all processes up to their ends, in nanoseconds.
    public var cpuNanoseconds: Int
    /// The processes with memory of their own, in the order of their start; the command itself is the first.
    ///
    /// It lacks polled processes that ended before their first reading.
    public var processes: [ProcessTrace]
    /// The processes that ``listing(_:)`` removed from ``processes``, grouped by name.
    public var others: [OtherProcesses] = []
    /// The most memory of all processes at the same time.
    public var treeMaximum: TreeMaximum
    /// The memory of processes that may have used their parent's, or `nil` if it is below the error of ``peak``.
    ///
    /// It is part of the error bound of ``peak`` and of no other figure.
    public var undecided: ByteCount?
    /// The reason of the first reading of a living process that failed, or `nil`: figures may lack it.
    public var unreadReason: String?
    /// The samples of all processes together, at most a thousand; empty if they were not kept.
    public var series: [Sample] = []
    /// The number of processes with memory of their own.
    public var processCount: Int { others.reduce(processes.count) { $0 + $1.count } }

    /// The sum of the peaks of all processes.
    public var sumOfPeaks: ByteCount {
        processes.reduce(others.reduce(.zero) { $0 + $1.sumOfPeaks }) { $0 + $1.peak.resident }
    }

    /// The largest sum of the peaks of processes that lived at the same time, an upper bound of ``peak``.
    public var peakAtMost: ByteCount { treeMaximum.residentAtMost ?? sumOfPeaks }

    /// The peak of the whole command.
    ///
    /// For a single process it is that process's peak. Several processes do not peak together, they share pages, and no
    /// kernel counter adds them up: then it is ``treeMaximum``, a lower bound, with an error bound that reaches up to
    /// the sum of the peaks of processes that lived at the same time.
    public var peak: PeakReading {
        guard processCount != 1 || undecided != nil else { return processes[0].peak }
        let bound = (processes.map(\.peak.errorBound) + others.map(\.errorBound)).max() ?? .zero
        return PeakReading(
            resident: treeMaximum.resident, source: .exactReadings,
            errorBound: max(.zero, peakAtMost - treeMaximum.resident) + bound + (undecided ?? .zero))
    }

    /// The peak of the whole command without program pages, or `nil` if these are unknown.
    ///
    /// For a single process it is ``ProcessTrace/netPeak``, for several ``TreeMaximum/net``.
    public var netPeak: ByteCount? { processCount == 1 ? processes[0].netPeak : treeMaximum.net }

    /// The program pages within the peak, or `nil` if they are unknown.
    ///
    /// For a single process these are the ones at its end, for several the difference of ``peak`` and the net peak.
    public var programPages: ByteCount? {
        guard processCount != 1 else { return processes[0].programPages }
        return treeMaximum.net.map { max(.zero, treeMaximum.resident - $0) }
    }

    /// Creates a trace.
    public init(
        method: Method, methodReason: String? = nil, exitStatus: Int32?, signal: Int32? = nil, timedOut: Bool = false,
        startNanoseconds: Int, endNanoseconds: Int, cpuNanoseconds: Int, processes: [ProcessTrace],
        treeMaximum: TreeMaximum
    ) {
        self.method = method
        self.methodReason = methodReason
        self.exitStatus = exitStatus
        self.signal = signal
        self.timedOut = timedOut
        self.startNanoseconds = startNanoseconds
        self.endNanoseconds = endNanoseconds
        self.cpuNanoseconds = cpuNanoseconds
        self.processes = processes
        self.treeMaximum = treeMaximum
    }

    private enum CodingKeys: String, CodingKey {
        case method
        case methodReason = "method_reason"
        case exitStatus = "exit_status"
        case signal
        case timedOut = "timed_out"
        case overLimit = "over_limit_bytes"
        case startNanoseconds = "start_ns"
        case endNanoseconds = "end_ns"
        case tracingNanoseconds = "tracing_ns"
        case cpuNanoseconds = "cpu_ns"
        case processes, others, series
        case treeMaximum = "tree_maximum"
        case undecided = "undecided_bytes"
        case unreadReason = "unread_reason"
    }
}

extension CommandTrace {
    /// Decodes a trace; the series and the other processes are optional.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        method = try container.decode(Method.self, forKey: .method)
        methodReason = try container.decodeIfPresent(String.self, forKey: .methodReason)
        exitStatus = try container.decodeIfPresent(Int32.self, forKey: .exitStatus)
        signal = try container.decodeIfPresent(Int32.self, forKey: .signal)
        timedOut = try container.decode(Bool.self, forKey: .timedOut)
        overLimit = try container.decodeIfPresent(ByteCount.self, forKey: .overLimit)
        startNanoseconds = try container.decode(Int.self, forKey: .startNanoseconds)
        endNanoseconds = try container.decode(Int.self, forKey: .endNanoseconds)
        tracingNanoseconds = try container.decodeIfPresent(Int.self, forKey: .tracingNanoseconds)
        cpuNanoseconds = try container.decode(Int.self, forKey: .cpuNanoseconds)
        processes = try container.decode([ProcessTrace].self, forKey: .processes)
        others = try container.decodeIfPresent([OtherProcesses].self, forKey: .others) ?? []
        treeMaximum = try container.decode(TreeMaximum.self, forKey: .treeMaximum)
        undecided = try container.decodeIfPresent(ByteCount.self, forKey: .undecided)
        unreadReason = try container.decodeIfPresent(String.self, forKey: .unreadReason)
        series = try container.decodeIfPresent([Sample].self, forKey: .series) ?? []
    }

    /// Returns the trace with at most this many processes listed individually; the rest is in ``others``.
    ///
    /// It lists the command itself, the processes that outlived it, and then the largest ones.
    public func listing(_ most: Int) -> CommandTrace {
        guard processes.count > most else { return self }
        let ranked = processes.indices.sorted { first, second in
            let (one, other) = (processes[first], processes[second])
            let (isFirst, isSecond) = (first == 0 || one.outlived, second == 0 || other.outlived)
            if isFirst != isSecond { return isFirst }
            return (other.peak.resident, first) < (one.peak.resident, second)
        }
        var listed = self
        let kept = Set(ranked.prefix(most))
        listed.processes = processes.indices.filter(kept.contains).map { processes[$0] }
        listed.others = OtherProcesses.byName(ranked.dropFirst(most).map { processes[$0] }, adding: others)
        return listed
    }
}
