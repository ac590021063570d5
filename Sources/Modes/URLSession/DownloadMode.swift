// SPDX-License-Identifier: Apache-2.0

import Foundation
import FoundationNetworking
import TrialKit

/// A download task with a completion handler: the body in a file, moved out of its temporary place.
struct DownloadMode: FetchMode {
    let name = "download"
    let summary = "URLSession download task, completion handler: to a file, moved to its place"
    let caveat: String? = "the temporary file of a task that fails is removed by nobody but the harness"
    let schemes: Set<String> = ["http", "https"]
    let yieldsBody = true
    let abilities: Set<ModeAbility> = .ofCancellableSession.union([.file])

    func makeFetcher(_ settings: FetchSettings) -> any Fetcher {
        DownloadFetcher(settings)
    }
}

private final class DownloadFetcher: Fetcher {
    private let session: URLSession
    private let settings: FetchSettings

    init(_ settings: FetchSettings) {
        session = .forTrial(settings)
        self.settings = settings
    }

    func fetch(_ request: FetchRequest) async throws(FetchFailure) -> FetchedBody {
        try SchemeCheck.check(request.url)
        let result = await CancellableTask.result(of: request) { answer in
            session.downloadTask(with: URLRequest(request, settings)) { location, response, error in
                answer(ResponseBody.inFile(at: location, response, error, for: request))
            }
        }
        return try result.get()
    }

    func invalidate() async {
        session.finishTasksAndInvalidate()
    }
}
