// SPDX-License-Identifier: Apache-2.0

import Foundation
import FoundationNetworking
import TrialKit

struct TaskGroupDownloadMode: FetchMode {
    let name = "taskgroup-download"
    let summary = "throwing task group over URLSession download tasks: to files, in the order of the requests"
    let caveat: String? = """
        the first error cancels the rest, and only the harness removes their temporary files; one queue \
        drives every session, so more concurrent fetches show that queue; no cache, because cancelling with one crashes
        """
    let abilities: Set<ModeAbility> = .ofCancellableSession.union([.file])

    func makeFetcher(_ settings: FetchSettings) -> any Fetcher {
        TaskGroupFetcher(settings) { session, request in await session.downloaded(request, settings) }
    }
}
