// SPDX-License-Identifier: Apache-2.0

import Foundation
import FoundationNetworking
import TrialKit

struct TaskGroupDataMode: FetchMode {
    let name = "taskgroup-data"
    let summary = "throwing task group over URLSession data tasks: whole bodies as Data, in the order of the requests"
    let caveat: String? = """
        each body is held twice while it is handed over; the first error cancels the rest; one queue drives every \
        session, so more concurrent fetches show that queue; no cache, because cancelling with one crashes
        """
    let abilities: Set<ModeAbility> = .ofCancellableSession

    func makeFetcher(_ settings: FetchSettings) -> any Fetcher {
        TaskGroupFetcher(settings) { session, request in await session.collected(request, settings) }
    }
}
