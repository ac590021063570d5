// SPDX-License-Identifier: Apache-2.0

import Foundation
import OpenCombine
import TrialKit
import URLSessionModes

/// A first URL that fails twice, and a second one: retry(1), then catch with the publisher of the asset.
struct PublisherRetryCatchMode: FetchMode {
    let name = "publisher-retry-catch"
    let summary = "OpenCombine dataTaskPublisher of a URL that answers 503, retry(1), catch: the asset as Data"
    let caveat: String? = "three requests: two for the origin's fault, one for the asset; so does the warm-up"
    let schemes: Set<String> = ["http", "https"]
    let yieldsBody = true
    let abilities: Set<ModeAbility> = .ofSession
    let need: AssetNeed? = .faults

    /// What the origin serves in the place of the first URL.
    static let faultPath = "/faults/status/503"

    func makeFetcher(_ settings: FetchSettings) -> any Fetcher {
        DataPublisherFetcher(settings) { request, body in
            guard let first = URL(string: Self.faultPath, relativeTo: request.url)?.absoluteURL else {
                return .failure(FetchFailure(.other, "the URL has no origin that a fault could be asked of"))
            }
            var failing = request
            failing.url = first
            let publisher = body(failing).retry(1).catch { _ in body(request) }
            return await withCheckedContinuation { continuation in
                publisher.subscribe(OneBodySubscriber { continuation.resume(returning: $0) })
            }
        }
    }
}
