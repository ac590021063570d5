// SPDX-License-Identifier: Apache-2.0

import Foundation
import FoundationNetworking
import OpenCombine
import TrialKit
import URLSessionModes

struct PublisherRetryCatchMode: FetchMode {
    let name = "publisher-retry-catch"
    let summary =
        "OpenCombine dataTaskPublisher of a URL whose connection is reset, retry(1), catch with a second session"
    let caveat: String? = "three requests: two for the origin's fault, one for the asset; so does the warm-up"
    let abilities: Set<ModeAbility> = .ofSession
    let need: AssetNeed? = .faults

    /// The first URL's path on the origin, which resets the connection in the body.
    static let faultPath = "/faults/reset"

    func makeFetcher(_ settings: FetchSettings) -> any Fetcher {
        RetryCatchFetcher(settings)
    }
}

private final class RetryCatchFetcher: Fetcher {
    private let session: URLSession
    private let fallbackSession: URLSession
    private let settings: FetchSettings

    init(_ settings: FetchSettings) {
        session = .forTrial(settings)
        fallbackSession = .forTrial(settings)
        self.settings = settings
    }

    func fetch(_ request: FetchRequest) async throws(FetchFailure) -> FetchedBody {
        try SchemeCheck.check(request.url)
        guard let first = URL(string: PublisherRetryCatchMode.faultPath, relativeTo: request.url)?.absoluteURL else {
            throw FetchFailure(.other, "the URL has no origin that a fault could be asked of")
        }
        var failing = request
        failing.url = first
        return try await session.bodyPublisher(of: failing, settings)
            .retry(1)
            .catch { [fallbackSession, settings] _ in fallbackSession.bodyPublisher(of: request, settings) }
            .mapFailures()
            .oneBody(of: request)
    }

    func invalidate() async {
        for session in [session, fallbackSession] { session.finishTasksAndInvalidate() }
    }
}
