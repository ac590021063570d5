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
    /// The part of the trace that is about its control group; `nil` if the command had none.
    package var group: Group?
    /// The samples of all processes together, at most a thousand; empty if they were not kept.
    public var series: [Sample] = []
    package var byName: [OtherProcesses] { OtherProcesses.byName(processes, adding: others) }
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
            resident: treeMaximum.resident, source: treeMaximum.isOfGroup == true ? .controlGroup : .exactReadings,
            errorBound: max(.zero, peakAtMost - treeMaximum.resident) + bound + (undecided ?? .zero))
    }

    /// The peak of the whole command without program pages, or `nil` if these are unknown.
    ///
    /// For a single process it is ``ProcessTrace/netPeak``, for several ``TreeMaximum/net``.
    public var netPeak: ByteCount? { processCount == 1 ? processes[0].netPeak : treeMaximum.net }

    /// The upper bound of ``netPeak``, or `nil` if that is unknown.
    public var netPeakAtMost: ByteCount? {
        guard processCount == 1 else { return treeMaximum.netAtMost.map { $0 + (undecided ?? .zero) } }
        return netPeak.map { $0 + peak.errorBound }
    }

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
        (self.method, self.methodReason, self.exitStatus) = (method, methodReason, exitStatus)
        (self.signal, self.timedOut) = (signal, timedOut)
        (self.startNanoseconds, self.endNanoseconds) = (startNanoseconds, endNanoseconds)
        (self.cpuNanoseconds, self.processes) = (cpuNanoseconds, processes)
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
        case group = "control_group"
    }

    /// The amount of detail to read from a process's mappings in addition to its `status`.
    package enum MappingsLook: Hashable, Sendable {
        case none
        /// Their names, which costs the process nothing.
        case names
        /// The resident pages of each, which takes a walk of all page tables: only for a stopped process.
        case pages
    }
}

extension CommandTrace {
    /// The findings of its processes about their control group.
    package struct Group: Codable, Hashable, Sendable {
        /// The name of a process that ended in another group, or `nil` if none did.
        package var left: String?
        /// The most that a process held at its end without a file on a drive; `nil` if it is unknown.
        ///
        /// A group that was charged less does not count all that its processes hold.
        package var mostHeld: ByteCount?
        /// The processes that the kernel had killed in it and in groups below it, which may be gone by the end.
        package var killCount = 0

        private enum CodingKeys: String, CodingKey {
            case left
            case mostHeld = "most_held_bytes"
            case killCount = "processes_killed"
        }
    }

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
        group = try container.decodeIfPresent(Group.self, forKey: .group)
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

/// The cost of one process of a command.
public struct ProcessTrace: Codable, Hashable, Sendable {
    /// Its position in the order in which processes started, from 1; unlike its identifier it is reproducible.
    public var order: Int
    /// The order of its parent, or `nil` for the command itself.
    public var parentOrder: Int?
    /// The name of its last program, as the kernel reports it: at most 15 bytes, chosen by the program.
    public var name: String
    /// The largest resident set of the process.
    ///
    /// It counts from the first `exec`, because before the process held its parent's memory. Without an `exec` it
    /// counts from the start, including the pages then shared with the parent.
    public var peak: PeakReading
    /// The program pages when the process ended, or `nil` if they could not be read, as of a polled process.
    ///
    /// These are the resident pages of the files mapped executable, less those that the process had written to.
    public var programPages: ByteCount?
    /// The peak without program pages, which does not depend on the page cache, or `nil` if these are unknown.
    public var netPeak: ByteCount?
    /// The resident pages without a file when the process ended, or `nil` if that could not be read.
    public var anonymousAtEnd: ByteCount?
    /// The most that a sample found in huge page pools, which are in no mark of the kernel's, or `nil` for nothing.
    ///
    /// It is part of the peak, whose error reaches to where both had their most at the same time.
    public var hugetlb: ByteCount?
    /// The largest number of threads at the same time.
    public var threads: Int
    /// True if it still ran a grace period after the end of the command, and was killed for that.
    public var outlived: Bool
    /// The signal that ended it and that this process did not send, or `nil`; unknown of a polled one's children.
    public var signal: Int32?
    /// The time of its start, in nanoseconds of `CLOCK_MONOTONIC`.
    public var startNanoseconds: Int
    /// The time at which its end was noticed.
    public var endNanoseconds: Int
    /// True if a library named jemalloc was mapped at the last look, at its end or when polled.
    ///
    /// A jemalloc that is linked into the program itself is not detected.
    public var mapsJemalloc: Bool

    /// Creates the trace of a process.
    public init(
        order: Int, parentOrder: Int? = nil, name: String, peak: PeakReading, programPages: ByteCount? = nil,
        netPeak: ByteCount? = nil, anonymousAtEnd: ByteCount? = nil, hugetlb: ByteCount? = nil, threads: Int = 1,
        outlived: Bool = false, startNanoseconds: Int, endNanoseconds: Int, mapsJemalloc: Bool = false
    ) {
        (self.order, self.parentOrder, self.name, self.peak) = (order, parentOrder, name, peak)
        (self.programPages, self.netPeak) = (programPages, netPeak)
        (self.anonymousAtEnd, self.hugetlb, self.threads) = (anonymousAtEnd, hugetlb, threads)
        (self.outlived, self.startNanoseconds) = (outlived, startNanoseconds)
        (self.endNanoseconds, self.mapsJemalloc) = (endNanoseconds, mapsJemalloc)
    }

    private enum CodingKeys: String, CodingKey {
        case order
        case parentOrder = "parent_order"
        case name
        case peak
        case programPages = "program_bytes"
        case netPeak = "net_peak_bytes"
        case anonymousAtEnd = "anonymous_at_end_bytes"
        case hugetlb = "huge_page_pool_bytes"
        case threads
        case outlived
        case signal
        case startNanoseconds = "start_ns"
        case endNanoseconds = "end_ns"
        case mapsJemalloc = "maps_jemalloc"
    }
}

/// The process and parent of a thread, from `/proc/TID/status`.
package struct ThreadIdentity: Hashable, Sendable, ParsedText {
    /// `Tgid`: the process of the thread.
    package var process: Int32
    /// `PPid`: the process that started or adopted it.
    package var parent: Int32

    package init(process: Int32, parent: Int32) {
        (self.process, self.parent) = (process, parent)
    }

    /// The identity of what a process has started by a `clone` with these flags: a thread of its own, or a child.
    package init(_ thread: Int32, startedIn starter: Int32, cloneFlags: UInt64) {
        self.init(process: cloneFlags & Self.threadFlag != 0 ? starter : thread, parent: starter)
    }

    /// `CLONE_THREAD`, which the C library's overlay omits.
    private static let threadFlag: UInt64 = 0x10000

    package init(parsing text: Span<UInt8>) throws(MemProbeError) {
        var scanner = ByteScanner()
        var process: Int32?
        var parent: Int32?
        while !scanner.isAtEnd(of: text) {
            if scanner.skip("Tgid:", in: text) {
                process = Self.number(&scanner, text)
            } else if scanner.skip("PPid:", in: text) {
                parent = Self.number(&scanner, text)
            }
            scanner.skipLine(in: text)
        }
        guard let process else { throw MemProbeError(.malformed, source: "Tgid") }
        guard let parent else { throw MemProbeError(.malformed, source: "PPid") }
        (self.process, self.parent) = (process, parent)
    }

    private static func number(_ scanner: inout ByteScanner, _ text: Span<UInt8>) -> Int32? {
        scanner.skipBlanks(in: text)
        return scanner.number(in: text).flatMap { Int32(exactly: $0) }
    }
}

/// A reading of a process at its exit stop, or when polled.
package struct ProcessReading: Hashable, Sendable {
    /// `VmHWM`, or `nil` if the memory is gone or the kernel keeps no mark.
    package var mark: ByteCount?
    /// `RssAnon` and `HugetlbPages`.
    package var anonymous: ByteCount?
    package var files: ByteCount?
    /// `RssAnon` and `RssShmem`, which a control group is charged.
    package var held: ByteCount?
    /// The CPU time of the whole process so far, in nanoseconds.
    package var cpuNanoseconds: Int
    /// True if a library named jemalloc is mapped, or `nil` if that was not read.
    package var mapsJemalloc: Bool?
    /// The program pages, or `nil` if they were not read or the kernel hides them.
    package var programPages: ByteCount?

    package init(
        mark: ByteCount?, anonymous: ByteCount? = nil, files: ByteCount? = nil, cpuNanoseconds: Int = 0,
        mapsJemalloc: Bool? = nil, programPages: ByteCount? = nil
    ) {
        self.mark = mark
        (self.anonymous, self.files) = (anonymous, files)
        (self.cpuNanoseconds, self.mapsJemalloc) = (cpuNanoseconds, mapsJemalloc)
        self.programPages = programPages
    }
}
