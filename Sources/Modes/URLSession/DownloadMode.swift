// SPDX-License-Identifier: Apache-2.0

import Foundation
import FoundationNetworking
import TrialKit

struct DownloadMode: FetchMode {
    let name = "download"
    let summary = "URLSession download task, completion handler: to a file, moved to its place"
    let caveat: String? = "the temporary file of a failed task is removed only by the harness"
    let abilities: Set<ModeAbility> = .ofCancellableSession.union([.file])

    func makeFetcher(_ settings: FetchSettings) -> any Fetcher {
        AsyncFetcher(settings) { session, request in try await session.downloaded(request, settings).get() }
    }
}

extension URLSession {
    /// Fetches a body into a file by a download task with a completion handler.
    func downloaded(_ request: FetchRequest, _ settings: FetchSettings) async -> Result<FetchedBody, FetchFailure> {
        await CancellableTask.result(of: request) { answer in
            downloadTask(with: URLRequest(request, settings)) { location, response, error in
                answer(ResponseBody.inFile(at: location, response, error, for: request))
            }
        }
    }
}
