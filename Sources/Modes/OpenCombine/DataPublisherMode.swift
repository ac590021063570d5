// SPDX-License-Identifier: Apache-2.0

import OpenCombine
import TrialKit
import URLSessionModes

/// A mode that is a chain of publishers on a data task.
protocol DataPublisherMode: FetchMode {
    /// Makes the publisher of one body, whose status was checked.
    typealias MakePublisher = @Sendable (FetchRequest) -> AnyPublisher<FetchedBody, FetchFailure>

    /// Subscribes to the mode's chain on a body's publisher, and returns what the subscribers received.
    func answer(to request: FetchRequest, by body: @escaping MakePublisher) async throws(FetchFailure) -> FetchedBody
}

extension DataPublisherMode {
    var schemes: Set<String> { ["http", "https"] }
    var yieldsBody: Bool { true }
    var abilities: Set<ModeAbility> { .ofSession }

    func makeFetcher(_ settings: FetchSettings) -> any Fetcher {
        AsyncFetcher(settings) { session, request in
            try await answer(to: request) { request in
                session.bodyPublisher(of: request, settings).mapFailures().eraseToAnyPublisher()
            }
        }
    }
}
