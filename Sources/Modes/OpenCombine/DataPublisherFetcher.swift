// SPDX-License-Identifier: Apache-2.0

import Foundation
import FoundationNetworking
import OpenCombine
import OpenCombineFoundation
import TrialKit
import URLSessionModes

/// Fetches by what a mode makes of the publisher of a data task.
final class DataPublisherFetcher: Fetcher, SessionOwner {
    /// The publisher of one body: its status is checked, and its failures are those of this project.
    typealias BodyPublisher = AnyPublisher<FetchedBody, FetchFailure>

    typealias MakePublisher = @Sendable (FetchRequest) -> BodyPublisher

    /// Makes the body that a mode's subscribers got.
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
