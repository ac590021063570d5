// SPDX-License-Identifier: Apache-2.0

package import TrialKit

/// The scenarios of this project's trial programs beside the ``CommonScenarios``.
///
/// A new one needs its own folder and a line here.
package enum ScenarioCatalog {
    package static let all: [any Scenario] = [
        GalleryScenario(), CacheScenario(), CoalesceScenario(), ResumeScenario(),
    ]
}

/// A wait with a time limit and a message for its failure.
package struct BoundedWait: Sendable {
    private let seconds: Int

    package init(seconds: Int) { self.seconds = seconds }

    /// Waits until a condition is true, checking it every 0.1 ms, or throws ``FetchFailure/Code/idleTimeout``.
    package func wait(for what: String, until isTrue: () async throws -> Bool) async throws {
        let end = ContinuousClock.now + .seconds(seconds)
        while !(try await isTrue()) {
            guard .now < end else { throw FetchFailure(.idleTimeout, "\(what) within \(seconds) s") }
            try await Task.sleep(nanoseconds: 100_000)
        }
    }
}
