// SPDX-License-Identifier: Apache-2.0

import CTrialKit
import MemProbe

/// Reads everything at the marks between the phases of a trial, and nothing between them.
struct TrialMarker: ~Copyable {
    private var probe: ProcessProbe
    private var startNanoseconds = 0
    private var startCPU = 0
    private var startShared = ByteCount.zero

    init() throws(MemProbeError) {
        probe = try ProcessProbe(.current)
    }

    /// Reads everything at the mark that growth counts from.
    mutating func baseline() throws(MemProbeError) -> Mark {
        let baseline = try mark()
        ctrialkit_note(RecorderInstant.baseline.rawValue)
        return baseline
    }

    /// Reads everything now, outside a phase.
    mutating func mark() throws(MemProbeError) -> Mark {
        Mark(memory: try probe.snapshot(), allocator: AllocatorStatistics.read())
    }

    /// Starts a phase: the peak begins anew, then the clocks.
    mutating func begin() throws(MemProbeError) {
        _ = try probe.resetPeak()
        startShared = try probe.resident().shared
        startCPU = MonotonicClock.processCPU()
        startNanoseconds = MonotonicClock.now()
    }

    /// Ends the phase that was begun last: the clocks, then the peak, then everything else.
    mutating func end(_ phase: Phase) throws(MemProbeError) -> PhaseReading {
        let endNanoseconds = MonotonicClock.now()
        let endCPU = MonotonicClock.processCPU()
        probe.note(try probe.resident())
        let peak = try probe.peakSinceReset()
        if Phase.peaking.contains(phase) {
            // What is there now may be the peak, and nothing may be given back before the next phase.
            ctrialkit_note((phase == Phase.peaking.last ? RecorderInstant.end : .mark).rawValue)
        }
        return PhaseReading(
            phase: phase, startNanoseconds: startNanoseconds, endNanoseconds: endNanoseconds,
            cpuNanoseconds: endCPU - startCPU, startShared: startShared, peak: peak, end: try mark())
    }

    /// Waits until the resident size stands still, because a completion can run before the fetching code has let
    /// go of its own buffers; not at all where nothing can be going on.
    mutating func waitForQuiet(_ settling: Settling?) throws(MemProbeError) {
        guard let settling else { return }
        _ = try QuietMoment.wait(
            &probe, unchangedFor: settling.unchangedNanoseconds, atMost: settling.longestNanoseconds,
            pollEvery: settling.pollNanoseconds)
    }
}

/// How long a quiet moment is waited for.
struct Settling: Hashable, Sendable {
    /// For how long nothing may change.
    var unchangedNanoseconds: Int
    /// After how long it is given up.
    var longestNanoseconds: Int
    /// How long is slept between two looks.
    var pollNanoseconds: Int

    /// Long enough for a delegate queue to drain, short beside the start of a process.
    static let standard = Settling(
        unchangedNanoseconds: 6_000_000, longestNanoseconds: 300_000_000, pollNanoseconds: 1_000_000)
}

/// The instants of a trial that a recorder of allocations is told, as `CAllocationRecorder.h` numbers them.
private enum RecorderInstant: CInt {
    case baseline = 1
    case mark = 2
    case end = 3
}
