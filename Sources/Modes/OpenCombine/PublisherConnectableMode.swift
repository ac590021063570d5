// SPDX-License-Identifier: Apache-2.0

import OpenCombine
import TrialKit
import URLSessionModes

/// One data task for several subscribers by `makeConnectable()`: it begins when somebody says so.
struct PublisherConnectableMode: FetchMode {
    let name = "publisher-connectable"
    let summary =
        "OpenCombine dataTaskPublisher, makeConnectable(), \(Audience.count) subscribers, connect(): one request"
    let caveat: String? =
        "only a publisher that cannot fail is connectable, so a failure travels as a value; "
        + "autoconnect() would begin with the first subscriber, as share() does"
    let schemes: Set<String> = ["http", "https"]
    let yieldsBody = true
    let abilities: Set<ModeAbility> = .ofSession

    func makeFetcher(_ settings: FetchSettings) -> any Fetcher {
        DataPublisherFetcher(settings) { request, body in
            let connectable = body(request)
                .map { Result<FetchedBody, FetchFailure>.success($0) }
                .catch { Just(.failure($0)) }
                .makeConnectable()
            var connection: (any Cancellable)?
            let result = await Audience.body(of: connectable.tryMap { try $0.get() }.mapFailures()) {
                connection = connectable.connect()
            }
            // Letting go of it earlier would end the request.
            connection?.cancel()
            return result
        }
    }
}
