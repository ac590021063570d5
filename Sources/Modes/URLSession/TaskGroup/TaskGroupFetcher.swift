// SPDX-License-Identifier: Apache-2.0

import Foundation
import FoundationNetworking
import TrialKit

/// Fetches with a throwing task group: bodies in the order of the requests; the first error cancels the rest.
final class TaskGroupFetcher: Fetcher, SessionOwner {
    /// Fetches one body; is cancelled with its Swift task.
    typealias Load = @Sendable (URLSession, FetchRequest) async -> Result<FetchedBody, FetchFailure>

    let session: URLSession
    private let load: Load

    init(_ settings: FetchSettings, load: @escaping Load) {
        let configuration = URLSessionConfiguration.forTrial(settings)
        // Not even the default one: URLSession traps if a task that has a cache is cancelled.
        configuration.urlCache = nil
        session = .forTrial(settings, configuration)
        self.load = load
    }

    func fetch(_ request: FetchRequest) async throws(FetchFailure) -> FetchedBody {
        try await fetch([request]).first ?? .nothing
    }

    func fetch(_ requests: [FetchRequest]) async throws(FetchFailure) -> [FetchedBody] {
        for request in requests { try SchemeCheck.check(request.url) }
        do {
            return try await bodies(of: requests)
        } catch {
            throw FetchFailure(error)
        }
    }

    private func bodies(of requests: [FetchRequest]) async throws -> [FetchedBody] {
        try await withThrowingTaskGroup(of: (Int, FetchedBody).self) { group in
            for (index, request) in requests.enumerated() {
                group.addTask { [session, load] in (index, try await load(session, request).get()) }
            }
            var bodies = [FetchedBody](repeating: .nothing, count: requests.count)
            // The first error leaves the group, which cancels what remains and waits for it.
            for try await (index, body) in group { bodies[index] = body }
            return bodies
        }
    }
}
