// SPDX-License-Identifier: Apache-2.0

import Glibc
import MemProbe

/// Handling of fetches whose task is cancelled.
public enum Cancellation {
    /// The behaviour of a fetch whose Swift task is cancelled.
    public enum Conduct: String, Codable, Hashable, Sendable {
        /// It ends early, as ``ModeAbility/cancellation`` says.
        case ends
        /// It runs on to its end, for nobody.
        case runsOn = "runs_on"
        /// It can hang or trap, so that no scenario that cancels is played with it.
        case hangs
    }

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

/// A thread for a blocking call: Swift's task threads must not block, and `Foundation.Thread` would link Foundation
/// into programs that need nothing else of it.
public enum DetachedThread {
    /// Runs a closure on a new thread.
    /// - Throws: ``FetchFailure`` if the system has no thread.
    public static func run(_ work: @escaping @Sendable () -> Void) throws(FetchFailure) {
        let status = DetachedWork.begin(work)
        guard status == 0 else { throw FetchFailure(errno: status, "no thread could be had") }
    }

    /// Runs a blocking call on a new thread and returns its result without blocking the caller's thread.
    ///
    /// For modes with the ability ``ModeAbility/concurrency`` on a client that blocks. The call does not learn of a
    /// cancellation.
    /// - Throws: ``FetchFailure`` from the call, or if the system has no thread.
    public static func value<Value: Sendable>(
        of call: @escaping @Sendable () throws(FetchFailure) -> Value
    ) async throws(FetchFailure) -> Value { try await result(of: call).get() }

    /// Returns the result of a blocking call on a new thread, like ``value(of:)``.
    package static func result<Value: Sendable>(
        of call: @escaping @Sendable () throws(FetchFailure) -> Value
    ) async -> Result<Value, FetchFailure> {
        await withCheckedContinuation { continuation in
            do throws(FetchFailure) {
                try run { continuation.resume(returning: Result { () throws(FetchFailure) in try call() }) }
            } catch {
                continuation.resume(returning: .failure(error))
            }
        }
    }
}
