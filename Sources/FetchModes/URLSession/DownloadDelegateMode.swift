// SPDX-License-Identifier: Apache-2.0

import FetchBenchKit
import Foundation
import FoundationNetworking
import Synchronization

/// A download task of a session whose delegate is told of the file, and moves it out of its temporary place.
struct DownloadDelegateMode: FetchMode {
    let name = "download-delegate"
    let summary = "URLSession download task, session delegate: to a file, moved to its place"
    let caveat: String? =
        "opens the file anew for every chunk; the file of a task that fails is removed by nobody but the harness"
    let schemes: Set<String> = ["http", "https"]
    let yieldsBody = true

    func makeFetcher(_ settings: FetchSettings) -> any Fetcher {
        DownloadDelegateFetcher(settings)
    }
}

private final class DownloadDelegateFetcher: Fetcher {
    private let session: URLSession
    private let delegate = DownloadDelegate()

    init(_ settings: FetchSettings) {
        session = URLSession(configuration: .forTrial(settings), delegate: delegate, delegateQueue: nil)
    }

    func fetch(_ request: FetchRequest) async throws(FetchFailure) -> FetchedBody {
        let result = await withCheckedContinuation { continuation in
            delegate.begin(request, continuation)
            session.downloadTask(with: URLRequest(request)).resume()
        }
        return try result.get()
    }

    func invalidate() async {
        session.finishTasksAndInvalidate()
    }
}

/// Is told of the file of one request at a time.
private final class DownloadDelegate: NSObject, URLSessionDownloadDelegate {
    typealias Continuation = CheckedContinuation<Result<FetchedBody, FetchFailure>, Never>

    private struct State {
        var request: FetchRequest?
        var continuation: Continuation?
        var result: Result<FetchedBody, FetchFailure>?
    }

    private let state = Mutex(State())

    func begin(_ request: FetchRequest, _ continuation: Continuation) {
        state.withLock { $0 = State(request: request, continuation: continuation) }
    }

    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL
    ) {
        state.withLock { state in
            guard let request = state.request else { return }
            state.result = Result { () throws(FetchFailure) in
                try ResponseBody.inFile(at: location, downloadTask.response, for: request)
            }
        }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        let state = state.withLock { state in
            defer { state = State() }
            return state
        }
        let failure = error.map { FetchFailure($0) } ?? FetchFailure(.file, "the task named no temporary file")
        state.continuation?.resume(returning: state.result ?? .failure(failure))
    }
}
