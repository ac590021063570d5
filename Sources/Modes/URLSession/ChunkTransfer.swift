// SPDX-License-Identifier: Apache-2.0

import Foundation
import FoundationNetworking
import Synchronization
import TrialKit

final class ChunkTransfer<Consumer: ChunkConsumer>: Sendable {
    private struct State {
        /// `nil` once the transfer has ended.
        var consumer: Consumer?
        var byteCount = 0
        var failure: FetchFailure?
    }

    private let request: FetchRequest
    private let answer: CancellableTask.Answer
    private let state: Mutex<State>

    init(_ request: FetchRequest, _ consumer: Consumer, answering answer: @escaping CancellableTask.Answer) {
        self.request = request
        self.answer = answer
        state = Mutex(State(consumer: consumer))
    }

    var isWanting: Bool { state.withLock { $0.failure == nil } }

    /// Drops all further chunks, any number of which may be queued.
    func cancel() {
        state.withLock { $0.failure = $0.failure ?? .cancelled }
    }

    /// Takes the next chunk, unless the transfer has failed.
    func take(_ data: Data, of task: URLSessionTask) {
        state.withLock { state in
            state.byteCount += data.count
            guard state.failure == nil else { return }
            do throws(FetchFailure) {
                try state.consumer?.begin(BodyHead(task.response))
                try state.consumer?.take(data)
            } catch {
                state.failure = error
            }
        }
    }

    func end(_ response: URLResponse?, _ error: (any Error)?) {
        let result = state.withLock { state in
            // Releases the body and closes its file.
            defer { state.consumer = nil }
            return Self.result(of: state, for: request, response, error)
        }
        answer(result)
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
            if ResponseCheck.isUnchanged(response, for: request) { return .unchanged }
            try ResponseCheck.check(response, for: request, receivedByteCount: state.byteCount)
            guard request.method == .get else { return try BodyHead(response).body(of: request) }
            var body = consumer.finished()
            body.entityTag = ResponseCheck.entityTag(response, for: request)
            return body
        }
    }
}
