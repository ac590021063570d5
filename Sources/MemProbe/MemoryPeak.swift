// SPDX-License-Identifier: Apache-2.0

/// Measures how much this process's memory grows during an operation.
///
/// The figure covers the whole process, including other threads. Use it in a program that does one thing at a time; for
/// tests that run in parallel, use `MemProbeTesting`.
///
/// <!-- snippet: thumbnail -->
/// ```swift
/// let (thumbnail, peak) = try await MemoryPeak.measure { try await makeThumbnail() }
/// print(peak.growth.mebibytes)
/// ```
public enum MemoryPeak {
    /// Runs `body` and measures the peak above the resident set before it.
    ///
    /// First the allocator is asked to return free pages, and the calling thread is blocked until memory is unchanged
    /// for 6 ms, for at most 300 ms. The peak is `VmHWM` of `/proc/self/status`, reset by writing `5` to
    /// `/proc/self/clear_refs` (kernel 4.0).
    ///
    /// - Parameter body: the operation.
    /// - Returns: the result of `body`, and the growth.
    /// - Throws: the errors of `body`, or a ``MemProbeError``: ``MemProbeError/Code/unavailable`` if the kernel does
    ///   not reset its mark, ``MemProbeError/Code/noSuchProcess`` if there is no `/proc`.
    public static func measure<Value>(_ body: () throws -> Value) throws -> (value: Value, peak: PeakGrowth) {
        var measurement = try PeakMeasurement()
        let value = try body()
        return (value, try measurement.growth())
    }

    /// Runs an asynchronous `body` and measures the peak above the resident set before it.
    ///
    /// See the synchronous ``measure(_:)`` for what is measured.
    ///
    /// - Parameters:
    ///   - isolation: the actor to run on; by default that of the caller.
    ///   - body: the operation.
    /// - Returns: the result of `body`, and the growth.
    /// - Throws: the errors of `body`, or a ``MemProbeError``: ``MemProbeError/Code/unavailable`` if the kernel does
    ///   not reset its mark, ``MemProbeError/Code/noSuchProcess`` if there is no `/proc`.
    public static func measure<Value>(
        isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Value
    ) async throws -> (value: Value, peak: PeakGrowth) {
        var measurement = try PeakMeasurement()
        let value = try await body()
        return (value, try measurement.growth())
    }
}

/// The growth of a process's memory during an operation.
public struct PeakGrowth: Codable, Hashable, Sendable {
    /// The resident set at the start.
    public var start: ByteCount
    /// The largest resident set until the end.
    public var peak: PeakReading
    /// The program pages that were loaded meanwhile, or `nil` if the kernel hides them.
    ///
    /// These are pages of the program and its libraries. Their number depends on the page cache, not on the operation,
    /// so ``growth`` excludes them.
    public var programPages: ByteCount?

    /// Creates a growth.
    public init(start: ByteCount, peak: PeakReading, programPages: ByteCount?) {
        (self.start, self.peak, self.programPages) = (start, peak, programPages)
    }

    /// The peak above the start without the program pages loaded meanwhile; never negative.
    ///
    /// Program pages are read at the end, not at the peak: those loaded after the peak are subtracted, too, which makes
    /// the growth too low by at most their size. Otherwise it is as exact as ``PeakReading/errorBound`` of ``peak``; do
    /// not set a finer limit.
    public var growth: ByteCount { max(.zero, peak.resident - start - (programPages ?? .zero)) }

    private enum CodingKeys: String, CodingKey {
        case start = "start_bytes"
        case peak
        case programPages = "program_bytes"
    }
}

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
        _ = try QuietMoment.wait(
            &probe, unchangedFor: Self.quiet.nanoseconds, atMost: Self.quiet.limit, pollEvery: Self.quiet.pause)
        let isReset = try probe.resetPeak()
        guard isReset else {
            throw MemProbeError(.unavailable, source: "a reset of VmHWM (writing 5 to \(procRoot)/self/clear_refs)")
        }
        // Read next to the start: pages loaded between the two would be subtracted though the start includes them.
        let programPages = try probe.programPages()
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
