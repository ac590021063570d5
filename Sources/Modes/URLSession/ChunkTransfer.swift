// SPDX-License-Identifier: Apache-2.0

import Foundation
import FoundationNetworking
import Synchronization
import TrialKit

/// One body that arrives chunk by chunk, and who waits for it.
final class ChunkTransfer<Consumer: ChunkConsumer>: Sendable {
    typealias Continuation = CheckedContinuation<Result<FetchedBody, FetchFailure>, Never>

    private struct State {
        /// What takes the chunks; `nil` once the transfer has ended.
        var consumer: Consumer?
        var byteCount = 0
        var failure: FetchFailure?
    }

    private let request: FetchRequest
    private let continuation: Continuation
    private let state: Mutex<State>

    init(_ request: FetchRequest, _ consumer: Consumer, answering continuation: Continuation) {
        self.request = request
        self.continuation = continuation
        state = Mutex(State(consumer: consumer))
    }

    /// Takes the next chunk; after a failure none is taken any more.
    func take(_ data: Data) {
        state.withLock { state in
            state.byteCount += data.count
            guard state.failure == nil else { return }
            do throws(FetchFailure) {
                try state.consumer?.take(data)
            } catch {
                state.failure = error
            }
        }
    }

    /// Answers who waits, once.
    func end(_ response: URLResponse?, _ error: (any Error)?) {
        let result = state.withLock { state in
            // Lets go of the body, and closes its file.
            defer { state.consumer = nil }
            return Self.result(of: state, for: request, response, error)
        }
        continuation.resume(returning: result)
    }

    private static func result(
        of state: State, for request: FetchRequest, _ response: URLResponse?, _ error: (any Error)?
    ) -> Result<FetchedBody, FetchFailure> {
        if let failure = state.failure { return .failure(failure) }
        if let error { return .failure(FetchFailure(error)) }
        guard let consumer = state.consumer else {
            return .failure(FetchFailure(.other, "the task ended twice"))
        }
        return Result { () throws(FetchFailure) in
            try ResponseCheck.check(response, for: request, receivedByteCount: state.byteCount)
            return request.method == .get ? consumer.finished() : .nothing
        }
    }
}
