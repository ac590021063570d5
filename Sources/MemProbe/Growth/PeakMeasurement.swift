// SPDX-License-Identifier: Apache-2.0

/// A measurement of this process's peak that has begun: whoever may not hand over a closure ends it by hand.
package struct PeakMeasurement: ~Copyable {
    /// How long nothing may change before it begins, after how long that is given up, and how often is looked.
    private static let quiet = (nanoseconds: 6_000_000, limit: 300_000_000, pause: 1_000_000)

    private var probe: ProcessProbe
    private let start: ByteCount
    private let programPages: ByteCount?

    /// Has the allocator give back what is free, waits for a quiet moment, and resets the kernel's mark.
    ///
    /// Free memory that stayed resident would be used by what is measured, and its growth read too small.
    ///
    /// - Throws: ``MemProbeError/Code/unavailable`` where the mark cannot be reset: what was the peak before could not be
    ///   told from what is measured.
    package init(procRoot: String = "/proc") throws(MemProbeError) {
        var probe = try ProcessProbe(.current, procRoot: procRoot)
        AllocatorControl.purge()
        let programPages = try probe.programPages()
        _ = try QuietMoment.wait(
            &probe, unchangedFor: Self.quiet.nanoseconds, atMost: Self.quiet.limit, pollEvery: Self.quiet.pause)
        let isReset = try probe.resetPeak()
        guard isReset else {
            throw MemProbeError(.unavailable, source: "a reset of VmHWM (writing 5 to \(procRoot)/self/clear_refs)")
        }
        start = try probe.resident().resident
        self.programPages = programPages
        self.probe = probe
    }

    /// The growth until now.
    ///
    /// - Throws: ``MemProbeError/Code/unavailable`` where the kernel keeps no mark.
    package mutating func growth() throws(MemProbeError) -> PeakGrowth {
        let peak = try probe.peakSinceReset()
        guard peak.source == .highWaterMark else { throw MemProbeError(.unavailable, source: "VmHWM") }
        let before = programPages
        let after = try probe.programPages()
        let grown = before.flatMap { before in after.map { max(.zero, $0 - before) } }
        return PeakGrowth(start: start, peak: peak, programPages: grown)
    }
}
