// SPDX-License-Identifier: Apache-2.0

import Foundation
package import FoundationNetworking
package import TrialKit

/// Fetches with an async function of a session, the library's or our own.
package final class AsyncFetcher: Fetcher, SessionOwner {
    package typealias Load = @Sendable (URLSession, FetchRequest) async throws -> FetchedBody

    package let session: URLSession
    package let ownsSession: Bool
    private let load: Load

    package init(_ settings: FetchSettings, load: @escaping Load) {
        session = .forTrial(settings)
        ownsSession = settings.session != .shared
        self.load = load
    }

    package func fetch(_ request: FetchRequest) async throws(FetchFailure) -> FetchedBody {
        try SchemeCheck.check(request.url)
        do {
            return try await load(session, request)
        } catch {
            throw FetchFailure(error)
        }
    }
}
