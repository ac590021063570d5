// SPDX-License-Identifier: Apache-2.0

import Foundation
import FoundationNetworking
import Glibc
import OpenCombine

/// Receives the result of a download task; hides the subscriber's type, which is not Sendable, from the task's handler.
private protocol DownloadHandler: AnyObject, Sendable {
    func finish(_ location: URL?, _ response: URLResponse?, _ error: (any Error)?)
}

/// One subscriber's download: a task on demand, one value, and the completion.
///
/// Unchecked because OpenCombine's subscribers are not Sendable; this one is used under the lock, and called by the one
/// thread that has taken it out.
final class DownloadSubscription<Downstream: Subscriber>: Subscription, DownloadHandler, @unchecked Sendable
where Downstream.Input == DownloadTaskPublisher.Output, Downstream.Failure == URLError {
    private let publisher: DownloadTaskPublisher
    private let lock = NSLock()
    /// `nil` after completion or cancellation.
    private var downstream: Downstream?
    private var task: URLSessionDownloadTask?

    init(to publisher: DownloadTaskPublisher, of downstream: Downstream) {
        self.publisher = publisher
        self.downstream = downstream
    }

    func request(_ demand: Subscribers.Demand) {
        guard demand > .none else { return }
        lock.withLock {
            guard downstream != nil, task == nil else { return }
            let handler: any DownloadHandler = self
            let task = publisher.session.downloadTask(with: publisher.request) { location, response, error in
                handler.finish(location, response, error)
            }
            self.task = task
            // Under the lock, so that the task cannot be cancelled before it is resumed.
            task.resume()
        }
    }

    func cancel() {
        // Released outside the lock: it may release its own references in turn.
        let downstream = lock.withLock {
            defer { (self.downstream, task) = (nil, nil) }
            // Under the lock: URLSession traps if a task is cancelled while its handler returns.
            task?.cancel()
            return self.downstream
        }
        withExtendedLifetime(downstream) {}
    }

    /// Sends the value and the completion; called before the task's handler returns, because the file has no owner
    /// afterwards.
    func finish(_ location: URL?, _ response: URLResponse?, _ error: (any Error)?) {
        // URLSession does not remove it; a file that was moved is not there any more.
        defer { if let location { unlink(location.path) } }
        guard let (downstream, result) = end({ () throws(URLError) in try output(location, response, error) }) else {
            return
        }
        switch result {
        case .success(let output):
            // There is one value, whatever the demand.
            _ = downstream.receive(output)
            downstream.receive(completion: .finished)
        case .failure(let error):
            downstream.receive(completion: .failure(error))
        }
    }

    private func output(
        _ location: URL?, _ response: URLResponse?, _ error: (any Error)?
    ) throws(URLError) -> DownloadTaskPublisher.Output {
        if let error {
            throw (error as? URLError) ?? URLError(.unknown, userInfo: [NSUnderlyingErrorKey: error])
        }
        guard let location, let response else { throw URLError(.cannotOpenFile) }
        let byteCount = try DownloadedFile.move(location, to: publisher.destination)
        return DownloadTaskPublisher.Output(file: publisher.destination, byteCount: byteCount, response: response)
    }

    /// Takes the subscriber out, and makes its value unless it has cancelled.
    ///
    /// Both under the lock, so that a subscriber whose `cancel()` has returned finds no file at the destination later.
    private func end(
        _ output: () throws(URLError) -> DownloadTaskPublisher.Output
    ) -> (Downstream, Result<DownloadTaskPublisher.Output, URLError>)? {
        lock.withLock {
            guard let downstream else { return nil }
            defer { (self.downstream, task) = (nil, nil) }
            return (downstream, Result(catching: output))
        }
    }
}
