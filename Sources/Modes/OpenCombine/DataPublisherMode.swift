// SPDX-License-Identifier: Apache-2.0

import TrialKit
import URLSessionModes

/// A mode that is a chain of publishers on a data task.
protocol DataPublisherMode: FetchMode {
    /// Subscribes to the mode's chain on a body's publisher, and returns what the subscribers received.
    func answer(
        to request: FetchRequest, by body: @escaping DataPublisherFetcher.MakePublisher
    ) async -> Result<FetchedBody, FetchFailure>
}

extension DataPublisherMode {
    var schemes: Set<String> { ["http", "https"] }
    var yieldsBody: Bool { true }
    var abilities: Set<ModeAbility> { .ofSession }

    func makeFetcher(_ settings: FetchSettings) -> any Fetcher {
        DataPublisherFetcher(settings) { request, body in await answer(to: request, by: body) }
    }
}
