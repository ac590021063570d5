// SPDX-License-Identifier: Apache-2.0

public import Testing

/// A limit of what a test may cost in memory, measured in processes of its own.
///
/// The test does not run in the process of the test run: that would measure the tests beside it, too. The same program is
/// started again for this one test, or for one case of it. Green as soon as one process is within the limit; red where
/// three fresh ones are above it. Issues, attachments and what the test prints come back from the first process; one
/// that crashes, hangs or cannot be measured is a failure with the reason, never a pass.
///
/// On a suite it is the default of each test in it. Of several limits of one kind the innermost holds.
///
/// Limits are meant for release builds: `swift test -c release`. A process that takes longer than the `timeLimit` of the
/// trait is killed, and the test fails with what it held then. Without one a process has half a minute more than the
/// test's own `.timeLimit`, or one minute where the test has none either. The test's `.timeLimit` is one of all processes
/// of a case together, with their waiting for a free processor: give it generously, or leave it out.
public struct MemoryLimitTrait: TestTrait, SuiteTrait, TestScoping {
    let limit: MemoryLimit
    /// Tells this trait from another one of the same limit.
    private let identity = Identity()

    init(_ limit: MemoryLimit) { self.limit = limit }

    /// A suite hands it on to its tests.
    public var isRecursive: Bool { true }

    /// Of all limits of a test one provides the scope, for all of them; a suite has none.
    public func scopeProvider(for test: Test, testCase: Test.Case?) -> MemoryLimitTrait? {
        let last = test.traits.lazy.compactMap { $0 as? MemoryLimitTrait }.last
        return !test.isSuite && last?.identity === identity ? self : nil
    }

    /// Runs a case in processes of its own and judges it; in such a process, runs the one case that is meant.
    ///
    /// - Throws: in a process of its own what the test throws.
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
