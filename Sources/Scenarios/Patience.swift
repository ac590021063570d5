// SPDX-License-Identifier: Apache-2.0

import TrialKit

/// How long something is waited for that should happen at once: until it is told what did not happen.
package struct Patience: Sendable {
    private let seconds: Int

    /// Waits for so many seconds at most.
    package init(seconds: Int) {
        self.seconds = seconds
    }

    /// Waits until something is the case, looking ten times a millisecond.
    /// - Throws: ``FetchFailure/Code/idleTimeout`` where it does not happen; `CancellationError` where nobody waits any more.
    package func wait(for what: String, until isTrue: () async throws -> Bool) async throws {
        let end = ContinuousClock.now + .seconds(seconds)
        while !(try await isTrue()) {
            guard .now < end else { throw FetchFailure(.idleTimeout, "\(what) within \(seconds) s") }
            try await Task.sleep(nanoseconds: 100_000)
        }
    }
}
