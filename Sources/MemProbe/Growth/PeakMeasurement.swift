// SPDX-License-Identifier: Apache-2.0

/// A running measurement of this process's peak, for callers that cannot pass a closure.
package struct PeakMeasurement: ~Copyable {
    /// The nanoseconds for which memory has to be unchanged, the time to wait for that, and the time between two looks.
    private static let quiet = (nanoseconds: 6_000_000, limit: 300_000_000, pause: 1_000_000)

    private var probe: ProcessProbe
    private let start: ByteCount
    private let programPages: ByteCount?

    /// Asks the allocator to return free pages, waits for a quiet moment, and resets the kernel's mark.
    ///
    /// Free memory that stayed resident would be reused by the operation, and the measured growth would be too small.
    ///
    /// - Throws: ``MemProbeError/Code/unavailable`` if the mark cannot be reset: an earlier peak would be
    ///   indistinguishable.
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

    /// Returns the growth until now; throws if the kernel keeps no mark.
    package mutating func growth() throws(MemProbeError) -> PeakGrowth {
        let peak = try probe.peakSinceReset()
        guard peak.source == .highWaterMark else { throw MemProbeError(.unavailable, source: "VmHWM") }
        let before = programPages
        let after = try probe.programPages()
        let grown = before.flatMap { before in after.map { max(.zero, $0 - before) } }
        return PeakGrowth(start: start, peak: peak, programPages: grown)
    }
}
