// SPDX-License-Identifier: Apache-2.0

import Foundation
import FoundationNetworking
import Glibc
import OpenCombine

/// What a download task tells at its end.
///
/// A task's handler has to be Sendable, and the type of a subscriber is not: this hides it.
private protocol DownloadHandler: AnyObject, Sendable {
    func finish(_ location: URL?, _ response: URLResponse?, _ error: (any Error)?)
}

/// One subscriber's download: a task once there is demand, one value, and the end.
///
/// Unchecked because OpenCombine's subscribers are not Sendable; theirs is touched under the lock, and called by the
/// one thread that has taken it out.
final class DownloadSubscription<Downstream: Subscriber>: Subscription, DownloadHandler, @unchecked Sendable
where Downstream.Input == DownloadTaskPublisher.Output, Downstream.Failure == URLError {
    private let publisher: DownloadTaskPublisher
    private let lock = NSLock()
    /// Whoever waits for the value; `nil` once it was told the end, or has cancelled.
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
            // Under the lock, so that nobody cancels a task that was not resumed yet.
            task.resume()
        }
    }

    func cancel() {
        // Let go of at the end, outside of the lock: its end may be that of whatever it holds.
        let downstream = lock.withLock {
            defer { (self.downstream, task) = (nil, nil) }
            // Under the lock: URLSession traps where a task is cancelled while its handler returns.
            task?.cancel()
            return self.downstream
        }
        withExtendedLifetime(downstream) {}
    }

    /// Tells the subscriber the one value and the end; called before the task's handler returns, because afterwards the
    /// file belongs to nobody.
    func finish(_ location: URL?, _ response: URLResponse?, _ error: (any Error)?) {
        // Nobody else removes it: of what was moved nothing is there any more.
        defer { if let location { unlink(location.path) } }
        guard let downstream = end() else { return }
        do throws(URLError) {
            let output = try output(location, response, error)
            // One value is all there is, whatever more is asked for.
            _ = downstream.receive(output)
            downstream.receive(completion: .finished)
        } catch {
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

    /// Takes the subscriber, so that nobody cancels from here on; `nil` where it has cancelled.
    private func end() -> Downstream? {
        lock.withLock {
            defer { (downstream, task) = (nil, nil) }
            return downstream
        }
    }
}
