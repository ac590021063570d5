// SPDX-License-Identifier: Apache-2.0

import OpenCombine
import TrialKit
import URLSessionModes

struct PublisherDataMode: FetchMode {
    let name = "publisher-data"
    let summary = "OpenCombine dataTaskPublisher, tryMap on the status, sink: the whole body as Data"
    let caveat: String? = """
        a data task underneath: the body is held twice while it is handed over; cancelled through its AnyCancellable, \
        which can trap in a session with a cache
        """
    let abilities = Set<ModeAbility>.ofSession.union([.cancellation])

    func makeFetcher(_ settings: FetchSettings) -> any Fetcher {
        AsyncFetcher(settings) { session, request in
            try await CancellableSubscription<Result<FetchedBody, FetchFailure>>.value(of: request) { answer in
                session.bodyPublisher(of: request, settings).sink(
                    receiveCompletion: { completion in
                        guard case .failure(let error) = completion else { return }
                        answer(.failure(FetchFailure(error)))
                    },
                    receiveValue: { answer(.success($0)) })
            }.get()
        }
    }
}
