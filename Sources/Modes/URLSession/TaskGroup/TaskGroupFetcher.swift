// SPDX-License-Identifier: Apache-2.0

import Foundation
import FoundationNetworking
import TrialKit

/// Fetches with a throwing task group; the first error cancels the rest.
final class TaskGroupFetcher: Fetcher, SessionOwner {
    /// Fetches one body; is cancelled with its Swift task.
    typealias Load = @Sendable (URLSession, FetchRequest) async -> Result<FetchedBody, FetchFailure>

    /// Fetches in one group, and returns the bodies in the order of their requests.
    typealias Gather =
        @Sendable (
            _ requests: [FetchRequest], _ fetch: @escaping @Sendable (FetchRequest) async throws -> FetchedBody
        ) async throws -> [FetchedBody]

    let session: URLSession
    let ownsSession: Bool
    private let gather: Gather
    private let load: Load

    init(
        _ settings: FetchSettings, gathering gather: @escaping Gather = TaskGroupFetcher.inOrder, load: @escaping Load
    ) {
        let configuration = URLSessionConfiguration.forTrial(settings)
        // Not even the default one: URLSession traps if a task that has a cache is cancelled.
        configuration.urlCache = nil
        session = .forTrial(settings, configuration)
        ownsSession = settings.session != .shared
        self.gather = gather
        self.load = load
    }

    func fetch(_ request: FetchRequest) async throws(FetchFailure) -> FetchedBody {
        try await fetch([request]).first ?? .nothing
    }

    func fetch(_ requests: [FetchRequest]) async throws(FetchFailure) -> [FetchedBody] {
        for request in requests { try SchemeCheck.check(request.url) }
        do {
            return try await gather(requests) { [session, load] request in try await load(session, request).get() }
        } catch {
            throw FetchFailure(error)
        }
    }

    /// Holds each body in the order of the requests.
    static let inOrder: Gather = { requests, fetch in
        try await withThrowingTaskGroup(of: (Int, FetchedBody).self) { group in
            for (index, request) in requests.enumerated() {
                group.addTask { (index, try await fetch(request)) }
            }
            var bodies = [FetchedBody](repeating: .nothing, count: requests.count)
            // The first error leaves the group, which cancels what remains and waits for it.
            for try await (index, body) in group { bodies[index] = body }
            return bodies
        }
    }
}
