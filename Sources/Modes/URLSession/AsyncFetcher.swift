// SPDX-License-Identifier: Apache-2.0

import Foundation
import FoundationNetworking
import TrialKit

/// Fetches with one of the async functions of a session.
final class AsyncFetcher: Fetcher {
    typealias Load = @Sendable (URLSession, FetchRequest) async throws -> FetchedBody

    private let session: URLSession
    private let load: Load

    init(_ settings: FetchSettings, load: @escaping Load) {
        session = .forTrial(settings)
        self.load = load
    }

    func fetch(_ request: FetchRequest) async throws(FetchFailure) -> FetchedBody {
        try SchemeCheck.check(request.url)
        do {
            return try await load(session, request)
        } catch let failure as FetchFailure {
            throw failure
        } catch {
            throw FetchFailure(error)
        }
    }

    func invalidate() async {
        session.finishTasksAndInvalidate()
    }
}
