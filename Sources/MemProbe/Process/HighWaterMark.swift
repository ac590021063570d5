// SPDX-License-Identifier: Apache-2.0

import Libc

// The kernel's high-water mark of a process, `VmHWM`: what was read, how low it may be, and what became of it between marks.
//
// `ProcessProbe` reads it of this process and of others, `Tracing/ProcessFiles` of each process of a command, and in C
// the allocation recorder (`CAllocationRecorder/kernel.c`) of the process that it is loaded into.

/// The largest resident set since a reset, with its source and its error bound.
public struct PeakReading: Codable, Hashable, Sendable {
    /// The larger of the kernel's mark and every exact reading since the reset.
    public var resident: ByteCount
    /// The source of the number.
    public var source: PeakSource
    /// The largest error of ``resident``; do not set a finer limit.
    ///
    /// For the kernel's mark it is ``PeakErrorBound``. For ``PeakSource/exactReadings`` the peak can lie between two
    /// readings; only the old mark bounds it.
    public var errorBound: ByteCount

    /// Creates a reading.
    public init(resident: ByteCount, source: PeakSource, errorBound: ByteCount) {
        (self.resident, self.source, self.errorBound) = (resident, source, errorBound)
    }

    private enum CodingKeys: String, CodingKey {
        case resident = "resident_bytes"
        case source
        case errorBound = "error_bound_bytes"
    }
}

/// The source of a peak.
public enum PeakSource: String, Codable, Hashable, Sendable, CaseIterable {
    /// `VmHWM`, reset at the start of the phase.
    case highWaterMark = "kernel_high_water_mark"
    /// `VmHWM`, which could not be reset but rose during the phase and therefore is the phase's peak.
    case highWaterMarkWithoutReset = "kernel_high_water_mark_without_reset"
    /// The largest reading; peaks between two readings are missed.
    case exactReadings = "exact_readings"
    /// Samples of several processes, with the anonymous and shared memory of their control group.
    case controlGroup = "control_group"
}

/// The largest error of the kernel's high-water mark.
///
/// The kernel keeps three counters per process (file, anonymous, shared pages) and updates `VmHWM` from them. Changes
/// are batched before they reach the counters:
///
/// - Since Linux 6.2, per CPU: each counter can lack up to a batch less one page per CPU, whatever the size and length
///   of the peak.
/// - Before, per thread: each can lack its last page faults, see ``bytesAThread(pageSize:)``.
///
/// Source: `percpu_counter_batch`, `TASK_RSS_EVENTS_THRESH` and `mm->hiwater_rss` in the kernel.
public enum PeakErrorBound {
    /// The bound on this machine; on kernels before 6.2, for a process with one thread.
    public static var current: ByteCount { current(threads: 1) }

    /// Returns the bound on this machine for a process with this many threads.
    public static func current(threads: Int) -> ByteCount { machine.bytes(threads: threads) }

    /// Returns the bound since Linux 6.2 for this many possible CPUs and this page size in bytes.
    public static func bytes(cpus: Int, pageSize: Int) -> ByteCount {
        precondition(cpus > 0 && pageSize > 0, "a machine has CPUs and pages")
        let batch = max(32, 2 * cpus)
        return ByteCount(3 * cpus * (batch - 1) * pageSize)
    }

    /// Returns the bound per thread of a process before Linux 6.2.
    ///
    /// A thread updates the counters at its 66th fault, before serving it, and a fault may map 64 KiB of a file around
    /// its address.
    public static func bytesAThread(pageSize: Int) -> ByteCount {
        precondition(pageSize > 0, "a machine has pages")
        return ByteCount(66 * max(pageSize, 65_536))
    }

    /// The bounds per process and per thread on one machine, one of which is zero if the kernel is known.
    package struct Machine: Hashable, Sendable {
        package let ofProcess: ByteCount
        package let ofThread: ByteCount

        /// Creates the bounds of a machine; if the kernel is unknown, both apply.
        package init(kernel: KernelVersion?, cpus: Int, pageSize: Int) {
            let countsInThreads = kernel.map { $0 < .countsByCPU }
            ofProcess = countsInThreads == true ? .zero : PeakErrorBound.bytes(cpus: cpus, pageSize: pageSize)
            ofThread = countsInThreads == false ? .zero : PeakErrorBound.bytesAThread(pageSize: pageSize)
        }

        package func bytes(threads: Int) -> ByteCount { ofProcess + ByteCount(max(1, threads) * ofThread.rawValue) }
    }

    package static let machine = Machine(
        kernel: .current, cpus: sysconf(CInt(_SC_NPROCESSORS_CONF)), pageSize: pageSize)

    static var pageSize: Int { sysconf(CInt(_SC_PAGESIZE)) }
}

/// The data about the peak since the last reset, other than the current mark of the kernel.
package struct PeakRecord: Hashable, Sendable {
    /// The state of the kernel's mark at the start of the phase.
    package enum Start: Hashable, Sendable {
        case reset
        /// The mark was not reset; `nil` if the kernel keeps none.
        case refused(mark: ByteCount?)
    }

    package private(set) var start: Start

    package private(set) var largestReading = ByteCount.zero
    /// The most of it in huge page pools, which are in no mark.
    package private(set) var largestHugetlb = ByteCount.zero

    package init(start: Start) { self.start = start }

    /// The record of a process since its beginning, when its mark was 0.
    package static let ofLifetime = PeakRecord(start: .refused(mark: .zero))

    package mutating func note(_ resident: ByteCount) { largestReading = max(largestReading, resident) }

    package mutating func note(_ reading: ResidentReading) {
        note(reading.resident)
        largestHugetlb = max(largestHugetlb, reading.hugetlb)
    }

    /// Returns the peak for the current `VmHWM`, which is `nil` if the kernel keeps none, and the bound of its error.
    ///
    /// With pages of a huge page pool it is the largest reading: when the most of them were mapped, the mark does not
    /// say. The error reaches to where both had their most at the same time.
    package func reading(mark: ByteCount?, bound: ByteCount) -> PeakReading {
        let reading = readingOfMark(mark, bound: bound)
        guard largestHugetlb > .zero else { return reading }
        return PeakReading(
            resident: reading.resident, source: .exactReadings,
            errorBound: bound + max(.zero, (mark ?? .zero) + largestHugetlb - reading.resident))
    }

    private func readingOfMark(_ mark: ByteCount?, bound: ByteCount) -> PeakReading {
        guard let mark else {
            return PeakReading(resident: largestReading, source: .exactReadings, errorBound: bound)
        }
        switch start {
        case .reset:
            return PeakReading(resident: max(mark, largestReading), source: .highWaterMark, errorBound: bound)
        case .refused(let old?) where mark > old:
            return PeakReading(
                resident: max(mark, largestReading), source: .highWaterMarkWithoutReset, errorBound: bound)
        case .refused:
            let unseen = max(.zero, mark - largestReading)
            return PeakReading(resident: largestReading, source: .exactReadings, errorBound: unseen + bound)
        }
    }
}

/// A test of whether the cheap reading of the resident set is exact on this machine.
///
/// Kernels since 6.16 add up the counters of all CPUs for `statm`; older ones lag behind unless patched. Therefore the
/// version is not trusted: pages are touched, and `statm` is compared with the page tables.
public enum ExactnessProbe {
    /// The outcome of the comparisons.
    public enum Result: Hashable, Sendable {
        /// Every comparison agreed.
        case exact
        /// The largest difference.
        case off(by: ByteCount)
        /// No comparison was possible: no `smaps_rollup`, or memory that kept changing.
        case unknown
    }

    /// Touches pages of this process and compares.
    ///
    /// - Parameter rounds: the number of comparisons; each takes as long as reading `smaps_rollup`. If the
    ///   first four agree, there are no more: lagging counters catch up every 32 pages or more, which one of four can hit.
    public static func run(rounds: Int = 16) -> Result {
        guard var probe = try? ProcessProbe(.current) else { return .unknown }
        let pageSize = PeakErrorBound.pageSize
        // An odd number of pages per round, so that batches of 32 and 64 never come out even.
        let step = 7 * pageSize
        let length = max(1, rounds) * step
        guard let pages = mmap(nil, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
            pages != MAP_FAILED
        else { return .unknown }
        defer { munmap(pages, length) }
        var largest: ByteCount?
        var compared = 0
        for start in stride(from: 0, to: length, by: step) {
            for offset in stride(from: start, to: start + step, by: pageSize) {
                pages.storeBytes(of: 1, toByteOffset: offset, as: UInt8.self)
            }
            guard let difference = compare(&probe) else { continue }
            largest = max(largest ?? .zero, difference)
            compared += 1
            if compared == 4, largest == .zero { return .exact }
        }
        guard let largest else { return .unknown }
        return largest == .zero ? .exact : .off(by: largest)
    }

    private static func compare(_ probe: inout ProcessProbe) -> ByteCount? {
        guard let before = try? probe.resident(), let truth = try? probe.readRollup(),
            let after = try? probe.resident(), before == after
        else { return nil }
        let difference = before.resident - truth.resident
        return max(difference, .zero - difference)
    }
}
