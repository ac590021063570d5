// SPDX-License-Identifier: Apache-2.0

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
        guard let testCase else { return try await CaseCounts.counting(function) }
        let key = CaseCounts.key(of: testCase)
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
