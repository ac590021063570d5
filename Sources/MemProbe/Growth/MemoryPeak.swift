// SPDX-License-Identifier: Apache-2.0

/// Measures by how much this process's memory rises while something is done.
///
/// The figure is of the whole process: what other threads do meanwhile is in it. Use it in a program that does one thing
/// at a time; tests that run beside others have `MemProbeTesting`.
///
/// <!-- snippet: thumbnail -->
/// ```swift
/// let (thumbnail, peak) = try await MemoryPeak.measure { try await makeThumbnail() }
/// print(peak.growth.mebibytes)
/// ```
public enum MemoryPeak {
    /// Does something, and measures the peak over what was resident before.
    ///
    /// First the allocator is asked to give back what is free, and the calling thread is blocked until memory keeps still
    /// for 6 ms, for 300 ms at most.
    ///
    /// - Returns: what `body` returns, and the growth.
    /// - Throws: what `body` throws, or a ``MemProbeError``: ``MemProbeError/Code/unavailable`` where the kernel does not
    ///   reset its mark, ``MemProbeError/Code/noSuchProcess`` where there is no `/proc`.
    ///
    /// The origin is `VmHWM` of `/proc/self/status`, reset by writing `5` to `/proc/self/clear_refs` (kernel 4.0).
    public static func measure<Value>(_ body: () throws -> Value) throws -> (value: Value, peak: PeakGrowth) {
        var measurement = try PeakMeasurement()
        let value = try body()
        return (value, try measurement.growth())
    }

    /// Does something that may wait, and measures the peak over what was resident before.
    ///
    /// - Returns: what `body` returns, and the growth.
    /// - Throws: what `body` throws, or a ``MemProbeError``: ``MemProbeError/Code/unavailable`` where the kernel does not
    ///   reset its mark, ``MemProbeError/Code/noSuchProcess`` where there is no `/proc`.
    ///
    /// The origin is `VmHWM` of `/proc/self/status`, reset by writing `5` to `/proc/self/clear_refs` (kernel 4.0).
    public static func measure<Value>(
        isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Value
    ) async throws -> (value: Value, peak: PeakGrowth) {
        var measurement = try PeakMeasurement()
        let value = try await body()
        return (value, try measurement.growth())
    }
}
