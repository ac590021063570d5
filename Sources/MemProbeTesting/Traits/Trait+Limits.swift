// SPDX-License-Identifier: Apache-2.0

public import MemProbe
public import Testing

extension Trait where Self == MemoryLimitTrait {
    /// Limits the growth of the test's process at its peak, above what it held when the test began.
    ///
    /// <!-- snippet: thumbnail -->
    /// ```swift
    /// @Test(.peakMemory(under: .mebibytes(24))) func thumbnail() async throws {
    ///     _ = try await makeThumbnail()
    /// }
    /// ```
    ///
    /// The kernel's peak is exact to 744 KiB on a machine with two processors (`PeakErrorBound`); do not set a finer
    /// limit. All pages of the program and its libraries that are loaded until the test's end are subtracted; if some
    /// are loaded after the peak, the growth is too low by at most their size.
    ///
    /// The peak is `VmHWM` of `/proc/self/status`, reset before the test begins.
    ///
    /// - Parameters:
    ///   - limit: the largest growth of the resident set that passes, in bytes.
    ///   - timeLimit: the time limit of one process of the test; by default a minute, or half a minute more than the
    ///     test's own `.timeLimit`.
    public static func peakMemory(under limit: ByteCount, timeLimit: Duration? = nil) -> Self {
        MemoryLimitTrait(.peak(PeakLimit(growth: .bytes(limit), timeLimit: timeLimit)))
    }

    /// Limits the growth of the test's process at its peak by a formula of a size.
    ///
    /// <!-- snippet: thumbnail -->
    /// ```swift
    /// @Test(.peakMemory(under: "1.2 * size + 4 MiB", size: .mebibytes(64))) func download() async throws {
    ///     _ = try await makeThumbnail()
    /// }
    /// ```
    ///
    /// The formula may contain numbers, `B`, `KiB`, `MiB`, `GiB`, `size`, the four operations and parentheses, as after
    /// `peak <=` in a budget of fetchbench. An invalid formula fails the test with the position of the mistake.
    ///
    /// The peak is `VmHWM` of `/proc/self/status`, reset before the test begins.
    ///
    /// - Parameters:
    ///   - formula: the largest growth of the resident set that passes.
    ///   - size: the value of `size`.
    ///   - timeLimit: the time limit of one process of the test; by default a minute, or half a minute more than the
    ///     test's own `.timeLimit`.
    public static func peakMemory(
        under formula: String, size: ByteCount? = nil, timeLimit: Duration? = nil
    ) -> Self {
        MemoryLimitTrait(.peak(PeakLimit(growth: .formula(formula, size: size), timeLimit: timeLimit)))
    }

    /// Limits what each of many runs of the test leaves allocated.
    ///
    /// <!-- snippet: thumbnail -->
    /// ```swift
    /// @Test(.leakLimit(bytesPerRepetition: 16, repetitions: 200)) func request() async throws {
    ///     _ = try await makeThumbnail()
    /// }
    /// ```
    ///
    /// One process repeats the test, after a warm-up of a quarter as many runs, at least ten. A line is fitted (Theil
    /// and Sen) to the bytes that the allocator counts as allocated after each repetition (`mallinfo2`, or jemalloc's
    /// `stats.allocated`). The test fails if the lower end of the slope's 95 % interval is above the limit in three
    /// processes, and each half and each third of the series keeps rising: a cache that fills, a table that doubles now
    /// and then, and a level that settles pass. A pool rises like a leak until it is full, and libdispatch keeps 1,024
    /// blocks per thread. Therefore the second and the third process repeat the test 1,600 times, or twice as often as
    /// requested if that is more, and the additional repetitions have to rise, too. If half of their time limit does
    /// not suffice for twice as many, they are judged like the first.
    ///
    /// A leak that begins late is judged from its start, if that is before the last fifth of the repetitions and leaves
    /// it 40 of 200, or 20 of up to 100. One that begins later or is smaller than the allocator's noise is not
    /// detected: increase the repetitions. glibc counts a block with its header and rounded up: a lost block of 64
    /// bytes is read as 80.
    ///
    /// - Parameters:
    ///   - bytesPerRepetition: the most bytes that pass.
    ///   - repetitions: the number of runs to read, at least 20.
    ///   - timeLimit: the time limit of one process with all repetitions; by default a minute, or half a minute more
    ///     than the test's own `.timeLimit`.
    public static func leakLimit(
        bytesPerRepetition: Int, repetitions: Int = 200, timeLimit: Duration? = nil
    ) -> Self {
        MemoryLimitTrait(
            .leak(LeakLimit(bytesPerRepetition: bytesPerRepetition, repetitions: repetitions, timeLimit: timeLimit)))
    }
}
