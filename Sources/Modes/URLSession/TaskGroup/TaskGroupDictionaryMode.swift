// SPDX-License-Identifier: Apache-2.0

import Foundation
import FoundationNetworking
import TrialKit

struct TaskGroupDictionaryMode: FetchMode {
    let name = "taskgroup-dictionary"
    let summary = "throwing task group over URLSession data tasks: whole bodies as Data, in a dictionary by URL"
    let caveat: String? = """
        bodies of equal URLs replace one another: each is fetched, the last one is held and verified; otherwise as \
        taskgroup-data
        """
    let abilities: Set<ModeAbility> = .ofCancellableSession

    func makeFetcher(_ settings: FetchSettings) -> any Fetcher {
        TaskGroupFetcher(settings, gathering: Self.byURL) { session, request in
            await session.collected(request, settings)
        }
    }

    private static let byURL: TaskGroupFetcher.Gather = { requests, fetch in
        try await withThrowingTaskGroup(of: (URL, FetchedBody).self) { group in
            for request in requests { group.addTask { (request.url, try await fetch(request)) } }
            var bodies: [URL: FetchedBody] = [:]
            for try await (url, body) in group { bodies[url] = body }
            return requests.map { bodies[$0.url] ?? .nothing }
        }
    }
}
