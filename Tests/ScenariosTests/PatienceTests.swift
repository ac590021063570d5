// SPDX-License-Identifier: Apache-2.0

import Scenarios
import Testing
import TrialKit

/// Waiting that ends.
@Suite(.timeLimit(.minutes(10)))
struct PatienceTests {
    @Test func whatDoesNotHappenIsTold() async throws {
        let failure = await #expect(throws: FetchFailure.self) {
            try await Patience(seconds: 1).wait(for: "12 requests did not begin") { false }
        }
        #expect(failure == FetchFailure(.idleTimeout, "12 requests did not begin within 1 s"))
    }

    @Test func whatHappensIsNotWaitedForAnyLonger() async throws {
        var looks = 0
        try await Patience(seconds: 500).wait(for: "nothing happened") {
            looks += 1
            return looks == 3
        }
        #expect(looks == 3)
    }
}
