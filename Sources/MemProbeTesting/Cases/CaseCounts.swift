// SPDX-License-Identifier: Apache-2.0

import Synchronization
import Testing

/// Numbers the cases of one test that look alike, from 0 in each run of the test.
final class CaseCounts: Sendable {
    @TaskLocal private static var current: CaseCounts?

    private let counts = Mutex<[String: Int]>([:])

    /// Runs `body` with the numbers reset.
    static func counting(_ body: () async throws -> Void) async throws {
        try await $current.withValue(CaseCounts()) { try await body() }
    }

    /// Returns the key of a case that is about to run.
    static func key(of testCase: Test.Case) -> CaseKey {
        let arguments = CaseKey.arguments(of: testCase)
        return CaseKey(arguments: arguments, number: current?.next(arguments) ?? 0)
    }

    private func next(_ arguments: String) -> Int {
        counts.withLock { counts in
            defer { counts[arguments, default: 0] += 1 }
            return counts[arguments, default: 0]
        }
    }
}
