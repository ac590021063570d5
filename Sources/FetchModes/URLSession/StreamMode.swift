// SPDX-License-Identifier: Apache-2.0

import FetchBenchKit
import Foundation
import FoundationNetworking
import Synchronization

/// A data task with a delegate: chunk by chunk, hashed and written to a file.
struct StreamMode: FetchMode {
    let name = "stream"
    let summary = "URLSession delegate, chunk by chunk: hashed and written to a file"
    let caveat: String? = "no back-pressure: a consumer slower than the network collects the body in memory"
    let schemes: Set<String> = ["http", "https"]
    let yieldsBody = true

    func makeFetcher(_ settings: FetchSettings) -> any Fetcher {
        StreamFetcher(settings)
    }
}

private final class StreamFetcher: Fetcher {
    private let session: URLSession
    private let delegate: StreamDelegate

    init(_ settings: FetchSettings) {
        delegate = StreamDelegate(settings.verification)
        session = URLSession(configuration: .forTrial(settings), delegate: delegate, delegateQueue: nil)
    }

    func fetch(_ request: FetchRequest) async throws(FetchFailure) -> FetchedBody {
        let result = await withCheckedContinuation { continuation in
            delegate.begin(request, continuation)
            session.dataTask(with: URLRequest(request)).resume()
        }
        return try result.get()
    }

    func invalidate() async {
        session.finishTasksAndInvalidate()
    }
}

/// Receives the chunks of one request at a time.
private final class StreamDelegate: NSObject, URLSessionDataDelegate {
    typealias Continuation = CheckedContinuation<Result<FetchedBody, FetchFailure>, Never>

    private struct State: ~Copyable {
        var request: FetchRequest?
        var continuation: Continuation?
        var file: BodyFile?
        var hash = StreamedHash(.length)
        var byteCount = 0
        var failure: FetchFailure?
    }

    private let verification: Verification
    private let state = Mutex(State())

    init(_ verification: Verification) {
        self.verification = verification
    }

    func begin(_ request: FetchRequest, _ continuation: Continuation) {
        state.withLock { state in
            state = State()
            state.request = request
            state.continuation = continuation
            state.hash = StreamedHash(verification)
            do throws(FetchFailure) {
                state.file = try BodyFile(creating: request.destination)
            } catch {
                state.failure = error
            }
        }
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        state.withLock { state in
            state.byteCount += data.count
            guard state.failure == nil else { return }
            data.withUnsafeBytes { bytes in
                state.hash.update(bytes)
                do throws(FetchFailure) {
                    try state.file?.write(bytes)
                } catch {
                    state.failure = error
                }
            }
        }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        let (continuation, result) = state.withLock { state in
            state.file = nil
            let result = Self.result(of: state, response: task.response, error: error)
            let continuation = state.continuation
            state.continuation = nil
            return (continuation, result)
        }
        continuation?.resume(returning: result)
    }

    private static func result(
        of state: borrowing State, response: URLResponse?, error: (any Error)?
    ) -> Result<FetchedBody, FetchFailure> {
        if let failure = state.failure { return .failure(failure) }
        if let error { return .failure(FetchFailure(error)) }
        guard let request = state.request else { return .failure(FetchFailure(.other, "no request was begun")) }
        do throws(FetchFailure) {
            try ResponseCheck.check(response, for: request, receivedByteCount: state.byteCount)
        } catch {
            return .failure(error)
        }
        return .success(
            FetchedBody(
                content: .file(path: request.destination), byteCount: state.byteCount, sha256: state.hash.finish(),
                verificationCPUNanoseconds: state.hash.cpuNanoseconds))
    }
}
