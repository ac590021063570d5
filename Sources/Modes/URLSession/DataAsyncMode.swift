// SPDX-License-Identifier: Apache-2.0

import Foundation
import FoundationNetworking
import TrialKit

struct DataAsyncMode: FetchMode {
    let name = "data-async"
    let summary = "URLSession data(for:), async: the whole body as Data"
    let caveat: String? = "a data task underneath: the body is held twice; cancelling it at its end can trap"
    let abilities: Set<ModeAbility> = .ofSession

    func makeFetcher(_ settings: FetchSettings) -> any Fetcher {
        AsyncFetcher(settings) { session, request in
            let (data, response) = try await session.data(for: URLRequest(request, settings))
            return try ResponseBody.inMemory(data, response, for: request)
        }
    }
}
