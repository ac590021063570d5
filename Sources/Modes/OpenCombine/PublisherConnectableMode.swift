// SPDX-License-Identifier: Apache-2.0

import OpenCombine
import TrialKit
import URLSessionModes

struct PublisherConnectableMode: DataPublisherMode {
    let name = "publisher-connectable"
    let summary =
        "OpenCombine dataTaskPublisher, makeConnectable(), \(Audience.count) subscribers, connect(): one request"
    let caveat: String? =
        "only a publisher that cannot fail is connectable, so a failure travels as a value; "
        + "autoconnect() would begin with the first subscriber, as share() does"

    func answer(
        to request: FetchRequest, by body: @escaping MakePublisher
    ) async throws(FetchFailure) -> FetchedBody {
        let connectable = body(request)
            .map { Result<FetchedBody, FetchFailure>.success($0) }
            .catch { Just(.failure($0)) }
            .makeConnectable()
        var connection: (any Cancellable)?
        let result = await Audience.body(of: connectable.tryMap { try $0.get() }.mapFailures()) {
            connection = connectable.connect()
        }
        // Releasing it earlier would end the request.
        connection?.cancel()
        return try result.get()
    }
}
