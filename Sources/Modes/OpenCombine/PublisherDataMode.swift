// SPDX-License-Identifier: Apache-2.0

import Foundation
import FoundationNetworking
import OpenCombine
import OpenCombineFoundation
import TrialKit
import URLSessionModes

/// The publisher of a data task and a sink: the whole body in memory.
struct PublisherDataMode: FetchMode {
    let name = "publisher-data"
    let summary = "OpenCombine dataTaskPublisher, tryMap on the status, sink: the whole body as Data"
    let caveat: String? = "a data task underneath: the body is held twice while it is handed over"
    let abilities: Set<ModeAbility> = .ofSession

    func makeFetcher(_ settings: FetchSettings) -> any Fetcher {
        PublisherDataFetcher(settings)
    }
}

private final class PublisherDataFetcher: Fetcher, SessionOwner {
    let session: URLSession
    private let settings: FetchSettings

    init(_ settings: FetchSettings) {
        session = .forTrial(settings)
        self.settings = settings
    }

    func fetch(_ request: FetchRequest) async throws(FetchFailure) -> FetchedBody {
        try SchemeCheck.check(request.url)
        // A subscription ends when its reference is released.
        var subscription: AnyCancellable?
        let result = await withCheckedContinuation { continuation in
            subscription = publisher(of: request).sink(
                receiveCompletion: { completion in
                    guard case .failure(let error) = completion else { return }
                    continuation.resume(returning: .failure((error as? FetchFailure) ?? FetchFailure(error)))
                },
                receiveValue: { continuation.resume(returning: Result<FetchedBody, FetchFailure>.success($0)) })
        }
        withExtendedLifetime(subscription) {}
        return try result.get()
    }

    private func publisher(of request: FetchRequest) -> some Publisher<FetchedBody, any Error> {
        session.dataTaskPublisher(for: URLRequest(request, settings)).tryMap { data, response in
            try ResponseBody.inMemory(data, response, for: request)
        }
    }
}
