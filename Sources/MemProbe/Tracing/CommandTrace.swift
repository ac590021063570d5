// SPDX-License-Identifier: Apache-2.0

/// What one run of a command cost: each of its processes, and all of them at once.
public struct CommandTrace: Codable, Hashable, Sendable {
    /// How the peaks were found.
    public enum Method: String, Codable, Hashable, Sendable, CaseIterable {
        /// `VmHWM`, read while each process stood still at its end: nothing can be missed.
        case exitStops = "exit_stops"
        /// `VmHWM`, read again and again: what a process held after its last reading is missed.
        case polled = "polled_high_water_mark"
    }

    /// How the peaks were found.
    public var method: Method
    /// Why the peaks were not found exactly, or `nil` where they were.
    public var methodReason: String?
    /// The status with which the command ended, or `nil` where a signal ended it.
    public var exitStatus: Int32?
    /// The signal that ended the command, or `nil`.
    public var signal: Int32?
    /// Whether it was killed because its time was over.
    public var timedOut: Bool
    /// The most that all processes were sampled to hold, where they were killed because it is over the limit; else `nil`.
    public var overLimit: ByteCount?
    /// When the command was let go, in nanoseconds of `CLOCK_MONOTONIC`.
    public var startNanoseconds: Int
    /// When the command itself had ended; what it left running may have lived on.
    public var endNanoseconds: Int
    /// The CPU time of all processes up to their ends, in nanoseconds.
    public var cpuNanoseconds: Int
    /// The processes that had memory of their own, in the order in which they began; the command itself is the first.
    ///
    /// A process that was polled and ended before its first reading is not among them.
    public var processes: [ProcessTrace]
    /// The processes that are not among ``processes``, by name, where there were very many: see ``listing(_:)``.
    public var others: [OtherProcesses] = []
    /// The most that all processes held at the same time.
    public var treeMaximum: TreeMaximum
    /// What those processes held of which nothing told whether it was their parent's memory, or `nil` where it is less
    /// than ``peak`` may be wrong by anyway: it is in no other figure but the error bound of ``peak``.
    public var undecided: ByteCount?
    /// What all processes were sampled to hold together, at most a thousand times; empty where nobody kept it.
    public var series: [Sample] = []

    /// How many processes had memory of their own.
    public var processCount: Int { others.reduce(processes.count) { $0 + $1.count } }

    /// The peaks of all processes together, which ``peak`` cannot be above.
    public var sumOfPeaks: ByteCount {
        processes.reduce(others.reduce(.zero) { $0 + $1.sumOfPeaks }) { $0 + $1.peak.resident }
    }

    /// The peak of the whole command.
    ///
    /// For a single process it is that process's peak. Several processes do not peak together, and no kernel counter
    /// adds them up: then it is ``treeMaximum``, which the sum of the peaks bounds from above, as its error bound says.
    public var peak: PeakReading {
        guard processCount != 1 || undecided != nil else { return processes[0].peak }
        let sum = sumOfPeaks
        let bound = (processes.map(\.peak.errorBound) + others.map(\.errorBound)).max() ?? .zero
        return PeakReading(
            resident: treeMaximum.resident, source: .exactReadings,
            errorBound: max(.zero, sum - treeMaximum.resident) + bound + (undecided ?? .zero))
    }

    /// The peak of the whole command without program pages, or `nil` where these are not known: of a single process
    /// its ``ProcessTrace/netPeak``, of several ``TreeMaximum/net``.
    public var netPeak: ByteCount? {
        processCount == 1 ? processes[0].netPeak : treeMaximum.net
    }

    /// The program pages within the peak, or `nil` where they are not known: of a single process those at its end, of
    /// several what the net peak leaves of ``peak``.
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
        case cpuNanoseconds = "cpu_ns"
        case processes, others, series
        case treeMaximum = "tree_maximum"
        case undecided = "undecided_bytes"
    }
}

extension CommandTrace {
    /// Decodes a trace; one without a series and others has none.
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
        cpuNanoseconds = try container.decode(Int.self, forKey: .cpuNanoseconds)
        processes = try container.decode([ProcessTrace].self, forKey: .processes)
        others = try container.decodeIfPresent([OtherProcesses].self, forKey: .others) ?? []
        treeMaximum = try container.decode(TreeMaximum.self, forKey: .treeMaximum)
        undecided = try container.decodeIfPresent(ByteCount.self, forKey: .undecided)
        series = try container.decodeIfPresent([Sample].self, forKey: .series) ?? []
    }

    /// The same with at most this many processes one by one; what is left is in ``others``.
    ///
    /// These are the command itself, those that outlived it, and then the largest ones.
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
