// SPDX-License-Identifier: Apache-2.0

import CTrialKit
package import MemProbe

/// Reads everything at the marks between the phases of a trial, and nothing between them.
struct TrialMarker: ~Copyable {
    private var probe: ProcessProbe
    private var startNanoseconds = 0
    private var startCPU = 0
    private var startShared = ByteCount.zero

    init() throws(MemProbeError) { probe = try ProcessProbe(.current) }

    /// Ends `warmup` and takes the mark that growth counts from.
    mutating func baseline(after settling: Settling?) throws(MemProbeError) -> Mark {
        try begin()
        _ = try end(.warmup)
        try waitForQuiet(settling)
        let baseline = try mark()
        ctrialkit_note(RecorderInstant.baseline.rawValue)
        return baseline
    }

    /// Takes the marks after the last phase: when the memory is stable, and after the allocator was asked to return free pages.
    mutating func settle(_ settling: Settling?, into report: inout TrialReport) throws(MemProbeError) {
        try waitForQuiet(settling)
        report.settled = try mark()
        _ = AllocatorControl.purge()
        report.purged = try mark()
    }

    private mutating func mark() throws(MemProbeError) -> Mark {
        Mark(memory: try probe.snapshot(), allocator: AllocatorStatistics.read())
    }

    /// Starts a phase: resets the peak, then reads the clocks.
    mutating func begin() throws(MemProbeError) {
        _ = try probe.resetPeak()
        startShared = try probe.resident().shared
        startCPU = MonotonicClock.processCPU()
        startNanoseconds = MonotonicClock.now()
    }

    /// Ends the phase: reads the clocks, then the peak, then everything else.
    mutating func end(_ phase: Phase) throws(MemProbeError) -> PhaseReading {
        let endNanoseconds = MonotonicClock.now()
        let endCPU = MonotonicClock.processCPU()
        probe.note(try probe.resident())
        let peak = try probe.peakSinceReset()
        if Phase.peaking.contains(phase) {
            // The current memory may be the peak, and the next phase may not release any.
            ctrialkit_note((phase == Phase.peaking.last ? RecorderInstant.end : .mark).rawValue)
        }
        return PhaseReading(
            phase: phase, startNanoseconds: startNanoseconds, endNanoseconds: endNanoseconds,
            cpuNanoseconds: endCPU - startCPU, startShared: startShared, peak: peak, end: try mark())
    }

    /// Waits until the resident size is stable, because fetching code can hold its buffers beyond a completion.
    ///
    /// Does not wait if `settling` is `nil`: nothing can still be at work.
    mutating func waitForQuiet(_ settling: Settling?) throws(MemProbeError) {
        guard let settling else { return }
        _ = try QuietMoment.wait(
            &probe, unchangedFor: settling.unchangedNanoseconds, atMost: settling.longestNanoseconds,
            pollEvery: settling.pollNanoseconds)
    }

    /// The instants of a trial for a recorder of allocations, with the numbers of `CAllocationRecorder.h`.
    private enum RecorderInstant: CInt {
        case baseline = 1
        case mark = 2
        case end = 3
    }
}

/// The limits of the wait for a stable resident size.
struct Settling: Hashable, Sendable {
    /// The time without a change.
    var unchangedNanoseconds: Int
    /// The time after which the wait ends.
    var longestNanoseconds: Int
    /// The time between two readings.
    var pollNanoseconds: Int

    /// Long enough for a delegate queue to drain, short compared with the start of a process.
    static let standard = Settling(
        unchangedNanoseconds: 6_000_000, longestNanoseconds: 300_000_000, pollNanoseconds: 1_000_000)
}

/// Memory held on purpose, to prove that it is detected; allocated in its own function, which a profile can name.
struct PlantedMemory {
    private let bytes: [UInt8]

    @inline(never)
    init(byteCount: Int) { bytes = [UInt8](repeating: 1, count: byteCount) }
}

extension OwnProgram {
    /// Ends this process with its parent, so that a killed harness leaves nothing behind.
    ///
    /// The harness spawns from a thread that lives as long as the harness itself.
    package static func endsWithParent() { _ = ctrialkit_end_with_parent() }
}

extension ExactnessProbe.Result {
    /// The text stored in runs: `exact`, `off by up to N KiB`, `unknown`.
    package var description: String {
        switch self {
        case .exact: "exact"
        case .off(let difference): "off by up to \((difference.rawValue + 1023) / 1024) KiB"
        case .unknown: "unknown"
        }
    }
}
