// SPDX-License-Identifier: Apache-2.0

import Foundation
import FoundationNetworking
import TrialKit

/// A data task with a completion handler: the whole body in memory.
struct DataMode: FetchMode {
    let name = "data"
    let summary = "URLSession data task, completion handler: the whole body as Data"
    let caveat: String? = "on Linux the body is held twice while it is handed over"
    let schemes: Set<String> = ["http", "https"]
    let yieldsBody = true
    let abilities: Set<ModeAbility> = .ofCancellableSession

    func makeFetcher(_ settings: FetchSettings) -> any Fetcher {
        DataFetcher(settings)
    }
}

private final class DataFetcher: Fetcher {
    private let session: URLSession
    private let settings: FetchSettings

    init(_ settings: FetchSettings) {
        session = .forTrial(settings)
        self.settings = settings
    }

    func fetch(_ request: FetchRequest) async throws(FetchFailure) -> FetchedBody {
        try SchemeCheck.check(request.url)
        let result = await CancellableTask.result(of: request) { answer in
            session.dataTask(with: URLRequest(request, settings)) { data, response, error in
                answer(ResponseBody.inMemory(data, response, error, for: request))
            }
        }
        return try result.get()
    }

    func invalidate() async {
        session.finishTasksAndInvalidate()
    }
}
