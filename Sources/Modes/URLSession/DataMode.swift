// SPDX-License-Identifier: Apache-2.0

import Foundation
import FoundationNetworking
import TrialKit

struct DataMode: FetchMode {
    let name = "data"
    let summary = "URLSession data task, completion handler: the whole body as Data"
    let caveat: String? = "on Linux the body is held twice while it is handed over"
    let abilities: Set<ModeAbility> = .ofCancellableSession

    func makeFetcher(_ settings: FetchSettings) -> any Fetcher {
        AsyncFetcher(settings) { session, request in try await session.collected(request, settings).get() }
    }
}

extension URLSession {
    /// Fetches a body into memory by a data task with a completion handler.
    func collected(_ request: FetchRequest, _ settings: FetchSettings) async -> Result<FetchedBody, FetchFailure> {
        await CancellableTask.result(of: request) { answer in
            dataTask(with: URLRequest(request, settings)) { data, response, error in
                answer(ResponseBody.inMemory(data, response, error, for: request))
            }
        }
    }
}
