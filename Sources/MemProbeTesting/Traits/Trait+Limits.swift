// SPDX-License-Identifier: Apache-2.0

public import MemProbe
public import Testing

extension Trait where Self == MemoryLimitTrait {
    /// The test's process may grow by so much at its peak, over what it held when the test began.
    ///
    /// <!-- snippet: thumbnail -->
    /// ```swift
    /// @Test(.peakMemory(under: .mebibytes(24))) func thumbnail() async throws {
    ///     _ = try await makeThumbnail()
    /// }
    /// ```
    ///
    /// The kernel's peak is exact to 744 KiB on a machine with two processors (`PeakErrorBound`): a finer limit is
    /// not honest. Pages of the program and its libraries are not counted: all that came in until the test's end are
    /// taken off, so where some are loaded after the peak, the growth is too low by at most those.
    ///
    /// - Parameters:
    ///   - limit: the growth of the resident set in bytes that is still green.
    ///   - timeLimit: how long one process of the test may take; by default a minute, or half a minute more than the
    ///     test's own `.timeLimit`.
    ///
    /// The origin is `VmHWM` of `/proc/self/status`, reset before the test begins.
    public static func peakMemory(under limit: ByteCount, timeLimit: Duration? = nil) -> Self {
        MemoryLimitTrait(.peak(PeakLimit(growth: .bytes(limit), timeLimit: timeLimit)))
    }

    /// The test's process may grow by as much at its peak as a formula of a size says.
    ///
    /// <!-- snippet: thumbnail -->
    /// ```swift
    /// @Test(.peakMemory(under: "1.2 * size + 4 MiB", size: .mebibytes(64))) func download() async throws {
    ///     _ = try await makeThumbnail()
    /// }
    /// ```
    ///
    /// Numbers, `B`, `KiB`, `MiB`, `GiB`, `size`, the four operations and parentheses: what may stand behind `peak <=` in
    /// a budget of fetchbench. A formula that has no meaning fails the test with the place of the mistake.
    ///
    /// - Parameters:
    ///   - formula: the growth of the resident set that is still green.
    ///   - size: what `size` stands for.
    ///   - timeLimit: how long one process of the test may take; by default a minute, or half a minute more than the
    ///     test's own `.timeLimit`.
    ///
    /// The origin is `VmHWM` of `/proc/self/status`, reset before the test begins.
    public static func peakMemory(
        under formula: String, size: ByteCount? = nil, timeLimit: Duration? = nil
    ) -> Self {
        MemoryLimitTrait(.peak(PeakLimit(growth: .formula(formula, size: size), timeLimit: timeLimit)))
    }

    /// Each of many runs of the test may leave so much allocated.
    ///
    /// <!-- snippet: thumbnail -->
    /// ```swift
    /// @Test(.leakLimit(bytesPerRepetition: 16, repetitions: 200)) func request() async throws {
    ///     _ = try await makeThumbnail()
    /// }
    /// ```
    ///
    /// One process repeats the test, a quarter as often before anything is read, ten times at least. A line is fitted to
    /// what the allocator counts as allocated after each repetition (Theil and Sen). The test is red where the lower end
    /// of the slope's 95 % interval is above the limit in three processes, and each half and each third of the series goes
    /// on rising: a cache that fills, a table that doubles now and then, and a level that settles are green. A pool rises like
    /// a leak until it is full, and libdispatch keeps 1,024 blocks of each thread: the second and the third process repeat
    /// the test 1,600 times, or twice as often as asked where that is more, and all that is added has to rise, too. Where
    /// half of their time limit does not suffice for twice as many, they are judged like the first.
    ///
    /// A leak that begins late is judged from where it begins, if that is before the last fifth of the repetitions and
    /// leaves it 40 of 200 to be seen in, 20 of up to 100. One that begins later, or that is smaller than the noise of
    /// what is allocated, is not seen: repeat the test more often.
    /// glibc counts a block with its header and rounded up: 64 bytes that are lost are read as 80.
    ///
    /// - Parameters:
    ///   - bytesPerRepetition: the bytes that are still green.
    ///   - repetitions: how many runs are read; 20 at least.
    ///   - timeLimit: how long one process with all repetitions may take; by default a minute, or half a minute more than
    ///     the test's own `.timeLimit`.
    ///
    /// The origin is `mallinfo2`, or jemalloc's `stats.allocated`, by `AllocatorStatistics`.
    public static func leakLimit(
        bytesPerRepetition: Int, repetitions: Int = 200, timeLimit: Duration? = nil
    ) -> Self {
        MemoryLimitTrait(
            .leak(LeakLimit(bytesPerRepetition: bytesPerRepetition, repetitions: repetitions, timeLimit: timeLimit)))
    }
}
