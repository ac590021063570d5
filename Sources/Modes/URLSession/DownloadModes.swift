// SPDX-License-Identifier: Apache-2.0

import Foundation
import FoundationNetworking
import Glibc
import Synchronization
import TrialKit

struct DownloadMode: FetchMode {
    let name = "download"
    let summary = "URLSession download task, completion handler: to a file, moved to its place"
    let caveat: String? = "the temporary file of a failed task is removed only by the harness"
    let abilities: Set<ModeAbility> = .ofCancellableSession.union([.file])

    func makeFetcher(_ settings: FetchSettings) -> any Fetcher {
        AsyncFetcher(settings) { session, request in try await session.downloaded(request, settings).get() }
    }
}

extension URLSession {
    /// Fetches a body into a file by a download task with a completion handler.
    func downloaded(_ request: FetchRequest, _ settings: FetchSettings) async -> Result<FetchedBody, FetchFailure> {
        await CancellableTask.result(of: request) { answer in
            downloadTask(with: URLRequest(request, settings)) { location, response, error in
                answer(ResponseBody.inFile(at: location, response, error, for: request))
            }
        }
    }
}

struct DownloadAsyncMode: FetchMode {
    let name = "download-async"
    let summary = "URLSession download(for:), async: to a file, moved to its place"
    let caveat: String? = "the file remains after the call; on Linux, only the caller removes it"
    let abilities: Set<ModeAbility> = .ofSession.union([.file])
    let onCancel = Cancellation.Conduct.hangs

    func makeFetcher(_ settings: FetchSettings) -> any Fetcher {
        AsyncFetcher(settings) { session, request in
            let (location, response) = try await session.download(for: URLRequest(request, settings))
            return try ResponseBody.inFile(at: location, response, for: request)
        }
    }
}

struct DownloadDelegateMode: FetchMode {
    let name = "download-delegate"
    let summary = "URLSession download task, session delegate: to a file, moved to its place"
    let caveat: String? = """
        reopens the file for every chunk; the file of a failed task is removed only by the harness; \
        a slow delegate collects the body in memory, although it is in the file already
        """
    let abilities: Set<ModeAbility> = .ofSessionInPieces.union([.file])

    func makeFetcher(_ settings: FetchSettings) -> any Fetcher {
        DownloadDelegateFetcher(settings)
    }

    private final class DownloadDelegateFetcher: Fetcher, SessionOwner {
        let session: URLSession
        private let settings: FetchSettings
        private let transfers = TaskTable<DownloadTransfer>()

        init(_ settings: FetchSettings) {
            session = URLSession(
                configuration: .forTrial(settings),
                delegate: DownloadDelegate(transfers, settings), delegateQueue: nil)
            self.settings = settings
        }

        func fetch(_ request: FetchRequest) async throws(FetchFailure) -> FetchedBody {
            try SchemeCheck.check(request.url)
            let transfers = transfers
            let cancel: CancellableTask.Cancel = { task in
                transfers[task]?.cancel()
                task.cancel()
            }
            let result = await CancellableTask.result(of: request, cancelling: cancel) { answer in
                let task = session.downloadTask(with: URLRequest(request, settings))
                transfers[task] = DownloadTransfer(request, answering: answer)
                return task
            }
            return try result.get()
        }
    }

    /// Passes the files of all current requests to their transfers.
    private final class DownloadDelegate: TaskDelegate<DownloadTransfer>, URLSessionDownloadDelegate,
        @unchecked Sendable
    {
        func urlSession(
            _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData bytesWritten: Int64,
            totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
        ) {
            if transfers[downloadTask]?.isCancelled == false { delay.wait() }
        }

        func urlSession(
            _ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL
        ) { transfers[downloadTask]?.move(location, downloadTask.response) }

        func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
            transfers.remove(task)?.end(error)
        }
    }

    private final class DownloadTransfer: Sendable {
        private let request: FetchRequest
        private let answer: CancellableTask.Answer
        private let result = Mutex<Result<FetchedBody, FetchFailure>?>(nil)
        private let cancelled = Atomic(false)

        var isCancelled: Bool { cancelled.load(ordering: .relaxed) }

        init(_ request: FetchRequest, answering answer: @escaping CancellableTask.Answer) {
            (self.request, self.answer) = (request, answer)
        }

        /// Skips the delay of further progress calls, any number of which may be queued.
        func cancel() { cancelled.store(true, ordering: .relaxed) }

        func move(_ location: URL, _ response: URLResponse?) {
            guard !isCancelled else {
                // URLSession does not remove it.
                unlink(location.path)
                return result.withLock { $0 = .failure(.cancelled) }
            }
            let moved = ResponseBody.inFile(at: location, response, nil, for: request)
            result.withLock { $0 = moved }
        }

        func end(_ error: (any Error)?) {
            let failure = error.map { FetchFailure($0) } ?? FetchFailure(.file, "the task named no temporary file")
            answer(result.withLock { $0 } ?? .failure(failure))
        }
    }
}
