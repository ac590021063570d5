// SPDX-License-Identifier: Apache-2.0

import Foundation
import OpenCombine
import TrialKit
import URLSessionModes

struct PublisherRetryCatchMode: DataPublisherMode {
    let name = "publisher-retry-catch"
    let summary = "OpenCombine dataTaskPublisher of a URL that answers 503, retry(1), catch: the asset as Data"
    let caveat: String? = "three requests: two for the origin's fault, one for the asset; so does the warm-up"
    let need: AssetNeed? = .faults

    /// The first URL's path on the origin.
    static let faultPath = "/faults/status/503"

    func answer(to request: FetchRequest, by body: @escaping MakePublisher) async -> Result<FetchedBody, FetchFailure> {
        guard let first = URL(string: Self.faultPath, relativeTo: request.url)?.absoluteURL else {
            return .failure(FetchFailure(.other, "the URL has no origin that a fault could be asked of"))
        }
        var failing = request
        failing.url = first
        return await body(failing).retry(1).catch { _ in body(request) }.oneBody()
    }
}
