// SPDX-License-Identifier: Apache-2.0

import Foundation
import FoundationNetworking
import TrialKit

/// Fetches with one of Foundation's blocking initialisers, on a thread of its own.
///
/// The threads of Swift's tasks must not wait: there are only as many as the machine has cores.
final class BlockingFetcher: Fetcher {
    typealias Load = @Sendable (URL) throws -> FetchedBody

    /// What both modes that block have to say.
    static let caveat =
        "no time-out but 60 s; asks for gzip; 401 passes for a body, and no other status is told; "
        + "refuses URLs with a user or a password"

    private let load: Load

    init(load: @escaping Load) {
        self.load = load
    }

    func fetch(_ request: FetchRequest) async throws(FetchFailure) -> FetchedBody {
        try SchemeCheck.check(request.url)
        // Nothing can be put between them and a redirect, which the credentials of a URL would follow to any host.
        guard !request.url.holdsCredentials else {
            throw FetchFailure(
                .other,
                "the URL holds a user or a password, which this initialiser would send to wherever a redirect leads; "
                    + "use a mode with a session, such as data")
        }
        // These initialisers know no method but GET.
        guard request.method == .get else { return .nothing }
        let result = await withCheckedContinuation { continuation in
            Thread.detachNewThread { [load] in
                continuation.resume(returning: Self.result { try load(request.url) })
            }
        }
        let body = try result.get()
        guard body.byteCount > 0 else { throw FetchFailure(.emptyBody, "a status without an error, no byte") }
        return body
    }

    func invalidate() async {}

    private static func result(of load: () throws -> FetchedBody) -> Result<FetchedBody, FetchFailure> {
        do {
            return .success(try load())
        } catch let failure as FetchFailure {
            return .failure(failure)
        } catch {
            return .failure(failure(of: error))
        }
    }

    /// The failure beneath Foundation's own: an error of URLSession, or else a status that it refuses.
    private static func failure(of error: any Error) -> FetchFailure {
        if let beneath = (error as NSError).userInfo[NSUnderlyingErrorKey] as? any Error {
            return FetchFailure(beneath)
        }
        guard let error = error as? CocoaError, error.code == .fileReadUnknown else { return FetchFailure(error) }
        return FetchFailure(.httpStatus, "a status that Foundation refuses and does not tell")
    }
}
