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
