// SPDX-License-Identifier: Apache-2.0

public import MemProbe
public import Testing

/// A limit of a test's memory, measured in separate processes.
///
/// The test does not run in the process of the test run, where other tests would be measured, too. The test program is
/// started again for this test, or for one case of it. The test passes when one process is within the limit, and fails
/// when three fresh ones exceed it. Issues, attachments and output come back from the first process. A process that
/// crashes, hangs or cannot be measured is a failure with the reason, never a pass.
///
/// On a suite it is the default of each of its tests; the innermost limit of a kind applies.
///
/// Limits are meant for release builds: `swift test -c release`. A process that exceeds the trait's `timeLimit` is
/// killed, and the test fails with the memory that it held. The default is half a minute more than the test's own
/// `.timeLimit`, or one minute without one. The test's `.timeLimit` covers all processes of a case and their waiting
/// for a free processor: make it generous, or omit it.
public struct MemoryLimitTrait: TestTrait, SuiteTrait, TestScoping {
    let limit: MemoryLimit
    /// Distinguishes this trait from others with the same limit.
    private let identity = Identity()

    init(_ limit: MemoryLimit) { self.limit = limit }

    /// True: a suite applies it to its tests.
    public var isRecursive: Bool { true }

    /// Returns the last limit of a test, which provides the scope for all of them; `nil` for suites.
    ///
    /// - Parameters:
    ///   - test: the test.
    ///   - testCase: the case, if one runs.
    public func scopeProvider(for test: Test, testCase: Test.Case?) -> MemoryLimitTrait? {
        let last = test.traits.lazy.compactMap { $0 as? MemoryLimitTrait }.last
        return !test.isSuite && last?.identity === identity ? self : nil
    }

    /// Runs a case in separate processes and judges it, or in such a process, runs the requested case.
    ///
    /// - Parameters:
    ///   - test: the test.
    ///   - testCase: the case, or `nil` for the whole test.
    ///   - function: the body of the case.
    /// - Throws: the errors of the test, in a separate process.
    public func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        guard let testCase else { return try await CaseKey.CaseCounts.counting(function) }
        let key = CaseKey.CaseCounts.key(of: testCase)
        switch ChildRole.current {
        case .parent:
            let limits = EffectiveLimits(test.traits.compactMap { ($0 as? MemoryLimitTrait)?.limit })
            await LimitedCase(test, key, limits).judge()
        case .child(let request, let folder):
            let scope = ChildScope(request: request, folder: folder)
            if scope.isMeant(test, key) { try await scope.run(function) }
        case .lost: return
        }
    }

    private final class Identity: Sendable {}
}

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
