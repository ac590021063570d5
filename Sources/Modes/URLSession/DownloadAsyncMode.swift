// SPDX-License-Identifier: Apache-2.0

import Foundation
import FoundationNetworking
import TrialKit

struct DownloadAsyncMode: FetchMode {
    let name = "download-async"
    let summary = "URLSession download(for:), async: to a file, moved to its place"
    let caveat: String? = "the file remains after the call; on Linux, only the caller removes it"
    let abilities: Set<ModeAbility> = .ofSession.union([.file])

    func makeFetcher(_ settings: FetchSettings) -> any Fetcher {
        AsyncFetcher(settings) { session, request in
            let (location, response) = try await session.download(for: URLRequest(request, settings))
            return try ResponseBody.inFile(at: location, response, for: request)
        }
    }
}
