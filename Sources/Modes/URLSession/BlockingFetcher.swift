// SPDX-License-Identifier: Apache-2.0

import Foundation
import FoundationNetworking
import TrialKit

/// Fetches with a blocking initialiser of Foundation, by default on its own thread, because Swift's task threads must
/// not block.
final class BlockingFetcher: Fetcher {
    typealias Load = @Sendable (URL) throws -> FetchedBody

    /// Makes a blocking call on another thread, and passes on its result.
    typealias Run =
        @Sendable (
            _ call: @escaping @Sendable () -> Result<FetchedBody, FetchFailure>,
            _ deliver: @escaping @Sendable (Result<FetchedBody, FetchFailure>) -> Void
        ) -> Void

    static let caveat =
        "time-out fixed at 60 s; requests gzip; a 401 is treated as a body, and no other status is reported; "
        + "refuses URLs with a user or a password"

    private let run: Run
    private let load: Load

    init(
        running run: @escaping Run = { call, deliver in Thread.detachNewThread { deliver(call()) } },
        load: @escaping Load
    ) {
        self.run = run
        self.load = load
    }

    func fetch(_ request: FetchRequest) async throws(FetchFailure) -> FetchedBody {
        try SchemeCheck.check(request.url)
        // Redirects cannot be intercepted here, and the URL's credentials would follow them to any host.
        guard !request.url.holdsCredentials else {
            throw FetchFailure(
                .other,
                "the URL holds a user or a password, which this initialiser would send to wherever a redirect leads; "
                    + "use a mode with a session, such as data")
        }
        // These initialisers support GET only.
        guard request.method == .get else { return .nothing }
        let result = await withCheckedContinuation { continuation in
            run({ [load] in Self.result { try load(request.url) } }, { continuation.resume(returning: $0) })
        }
        let body = try result.get()
        guard body.byteCount > 0 else { throw FetchFailure(.emptyBody, "a status without an error, no byte") }
        return body
    }

    func invalidate() async {}

    private static func result(of load: () throws -> FetchedBody) -> Result<FetchedBody, FetchFailure> {
        do {
            return .success(try load())
        } catch {
            return .failure(failure(of: error))
        }
    }

    /// Returns the underlying error of URLSession, or else that of a refused status.
    private static func failure(of error: any Error) -> FetchFailure {
        if let beneath = (error as NSError).userInfo[NSUnderlyingErrorKey] as? any Error {
            return FetchFailure(beneath)
        }
        guard let error = error as? CocoaError, error.code == .fileReadUnknown else { return FetchFailure(error) }
        return FetchFailure(.httpStatus, "a status that Foundation refuses and does not tell")
    }
}
