// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Handling of fetches whose task is cancelled.
public enum Cancellation {
    /// Throws ``FetchFailure/cancelled`` if the task is already cancelled.
    public static func check() throws(FetchFailure) {
        if Task.isCancelled { throw .cancelled }
    }

    /// Runs a fetch that ends early when its task is cancelled.
    ///
    /// Any failure after a cancellation becomes ``FetchFailure/cancelled``, and the partial file is removed from the
    /// request's destination unless the request can be resumed.
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

    /// Returns the failure; after a cancellation `cancelled`, having removed the file unless it can be resumed.
    public static func failure(_ failure: FetchFailure, of request: FetchRequest) -> FetchFailure {
        guard Task.isCancelled else { return failure }
        if request.resumption == nil { unlink(request.destination) }
        return .cancelled
    }
}
