// SPDX-License-Identifier: Apache-2.0

import Foundation
import FoundationNetworking
import OpenCombine
import OpenCombineFoundation
import TrialKit
import URLSessionModes

/// Fetches with a mode's chain of publishers on a data task.
final class DataPublisherFetcher: Fetcher, SessionOwner {
    /// A publisher of one body, whose status was checked.
    typealias BodyPublisher = AnyPublisher<FetchedBody, FetchFailure>

    typealias MakePublisher = @Sendable (FetchRequest) -> BodyPublisher

    /// Returns the body that a mode's subscribers received.
    typealias Play =
        @Sendable (_ request: FetchRequest, _ body: @escaping MakePublisher) async -> Result<FetchedBody, FetchFailure>

    let session: URLSession
    private let settings: FetchSettings
    private let play: Play

    init(_ settings: FetchSettings, _ play: @escaping Play) {
        session = .forTrial(settings)
        self.settings = settings
        self.play = play
    }

    func fetch(_ request: FetchRequest) async throws(FetchFailure) -> FetchedBody {
        try SchemeCheck.check(request.url)
        return try await play(request) { [session, settings] request in
            session.dataTaskPublisher(for: URLRequest(request, settings)).tryMap { data, response in
                try ResponseBody.inMemory(data, response, for: request)
            }.mapFailures().eraseToAnyPublisher()
        }.get()
    }
}
