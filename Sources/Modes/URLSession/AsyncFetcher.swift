// SPDX-License-Identifier: Apache-2.0

import Foundation
import FoundationNetworking
import TrialKit

/// Fetches with an async function of a session, the library's or our own.
final class AsyncFetcher: Fetcher, SessionOwner {
    typealias Load = @Sendable (URLSession, FetchRequest) async throws -> FetchedBody

    let session: URLSession
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
}
