// SPDX-License-Identifier: Apache-2.0

/// A fetch that is to be cancelled; every other end of it is a failure.
package struct CancelledFetch: Sendable {
    private let task: Task<FetchFailure?, Never>

    package init(_ request: FetchRequest, with fetcher: any Fetcher) {
        task = Task {
            do throws(FetchFailure) {
                _ = try await fetcher.fetch(request)
                return nil
            } catch {
                return error
            }
        }
    }

    package func cancel() {
        task.cancel()
    }

    /// Waits for the end.
    /// - Throws: ``FetchFailure`` if the fetch ended in any other way than by cancellation.
    package func end() async throws(FetchFailure) {
        guard let failure = await task.value else {
            throw FetchFailure(.other, "a fetch that was cancelled has ended as if it were whole")
        }
        guard failure.code == .cancelled else { throw failure }
    }
}
