// SPDX-License-Identifier: Apache-2.0

import Foundation
import FoundationNetworking
import Synchronization

/// A data task as an async function that ends with its Swift task, made of a completion handler.
final class CancellableFetch: Sendable {
    private let state = Mutex<(task: URLSessionDataTask?, isCancelled: Bool)>((nil, false))

    /// Returns the body of an answer with the status 200; any other is an error.
    static func data(from url: URL, in session: URLSession) async throws -> Data {
        try await CancellableFetch().data(from: url, in: session)
    }

    private func data(from url: URL, in session: URLSession) async throws -> Data {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let task = session.dataTask(with: url) { data, response, error in
                    self.end()
                    let isRight = (response as? HTTPURLResponse)?.statusCode == 200
                    if let error {
                        continuation.resume(throwing: error)
                    } else if isRight {
                        continuation.resume(returning: data ?? Data())
                    } else {
                        continuation.resume(throwing: URLError(.badServerResponse))
                    }
                }
                begin(task)
            }
        } onCancel: {
            state.withLock { state in
                state.isCancelled = true
                state.task?.cancel()
            }
        }
    }

    private func begin(_ task: URLSessionDataTask) {
        state.withLock { state in
            state.task = task
            task.resume()
            if state.isCancelled { task.cancel() }
        }
    }

    /// Lets go of the task, so that it is not cancelled once its handler was called.
    private func end() {
        state.withLock { $0.task = nil }
    }
}
