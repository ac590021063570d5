// SPDX-License-Identifier: Apache-2.0

import OpenCombine
import TrialKit
import URLSessionModes

struct PublisherDataMode: FetchMode {
    let name = "publisher-data"
    let summary = "OpenCombine dataTaskPublisher, tryMap on the status, sink: the whole body as Data"
    let caveat: String? = "a data task underneath: the body is held twice while it is handed over"
    let abilities: Set<ModeAbility> = .ofSession

    func makeFetcher(_ settings: FetchSettings) -> any Fetcher {
        AsyncFetcher(settings) { session, request in
            // A subscription ends when its reference is released.
            var subscription: AnyCancellable?
            let result = await withCheckedContinuation { continuation in
                subscription = session.bodyPublisher(of: request, settings).sink(
                    receiveCompletion: { completion in
                        guard case .failure(let error) = completion else { return }
                        continuation.resume(returning: .failure(FetchFailure(error)))
                    },
                    receiveValue: { continuation.resume(returning: Result<FetchedBody, FetchFailure>.success($0)) })
            }
            withExtendedLifetime(subscription) {}
            return try result.get()
        }
    }
}
