// SPDX-License-Identifier: Apache-2.0

import TrialKit
import URLSessionModes

/// A mode that fetches by what it makes of the publisher of a data task.
protocol DataPublisherMode: FetchMode {
    /// Subscribes to what is made of a body's publisher, and tells what the subscribers got.
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
