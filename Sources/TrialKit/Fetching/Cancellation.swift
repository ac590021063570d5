// SPDX-License-Identifier: Apache-2.0

import Glibc

/// What becomes of a fetch whose task is cancelled.
public enum Cancellation {
    /// Ends a fetch that was cancelled already, before anything is asked for.
    public static func check() throws(FetchFailure) {
        if Task.isCancelled { throw .cancelled }
    }

    /// Fetches in a way that ends early by itself when its task is cancelled.
    ///
    /// Whatever the libraries beneath call that end, it is the one failure ``FetchFailure/cancelled``, and what had
    /// arrived is removed from the request's destination, unless it is to be gone on with.
    public static func observed(
        _ request: FetchRequest, _ fetch: () async throws(FetchFailure) -> FetchedBody
    ) async throws(FetchFailure) -> FetchedBody {
        try check()
        do throws(FetchFailure) {
            return try await fetch()
        } catch {
            throw failure(error, of: request)
        }
    }

    /// What a failed fetch tells: the cancellation where there was one, whose remains are removed or kept to go on with.
    public static func failure(_ failure: FetchFailure, of request: FetchRequest) -> FetchFailure {
        guard Task.isCancelled else { return failure }
        if request.resumption == nil { unlink(request.destination) }
        return .cancelled
    }
}
