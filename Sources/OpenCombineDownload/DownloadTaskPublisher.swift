// SPDX-License-Identifier: Apache-2.0

package import Foundation
package import FoundationNetworking
import Glibc
package import OpenCombine

/// A publisher of one download, which OpenCombine lacks: a task per subscriber, started by its demand.
///
/// It sends one value on the thread of URLSession's handlers, and completes. A status is part of the value, for the
/// subscriber to check. Cancelling ends the task without another call. Subscribers that `share()` it have one task
/// together. Once `cancel()` has returned, nothing is moved to the destination.
package struct DownloadTaskPublisher: Publisher, Sendable {
    package struct Output: Sendable {
        package let file: URL
        package let byteCount: Int
        package let response: URLResponse
    }

    /// URLSession's errors, and `cannotMoveFile` if the file cannot be moved to its destination.
    package typealias Failure = URLError

    package let request: URLRequest
    /// Where the file is moved to before the task's handler returns; an existing file is replaced.
    package let destination: URL
    /// The session of the tasks, without a delegate of its own.
    package let session: URLSession

    package init(request: URLRequest, to destination: URL, session: URLSession) {
        (self.request, self.destination, self.session) = (request, destination, session)
    }

    /// Sends the subscription; nothing is requested before there is demand.
    package func receive<Downstream: Subscriber>(subscriber: Downstream)
    where Downstream.Input == Output, Downstream.Failure == URLError {
        subscriber.receive(subscription: DownloadSubscription(to: self, of: subscriber))
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
            (self.publisher, self.downstream) = (publisher, downstream)
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
            let taken = end { () throws(URLError) in try output(location, response, error) }
            // URLSession does not remove it; a file that was moved is gone. Before subscribers are called.
            if let location { unlink(location.path) }
            guard let (downstream, result) = taken else { return }
            switch result {
            case .success(let output):
                // There is one value, whatever the demand.
                _ = downstream.receive(output)
                downstream.receive(completion: .finished)
            case .failure(let error): downstream.receive(completion: .failure(error))
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

    /// The temporary file of a download task, which has no owner once the task's handler returns.
    enum DownloadedFile {
        /// Moves the file by `rename(2)`, or copies it between file systems, and returns its size in bytes.
        ///
        /// - Throws: `URLError.cannotMoveFile`, with the system's reason as underlying error.
        static func move(_ source: URL, to destination: URL) throws(URLError) -> Int {
            if rename(source.path, destination.path) != 0 {
                guard errno == EXDEV else { throw failure(errno) }
                try copy(source, to: destination)
            }
            // Not `stat`: with MemberImportVisibility its structure belongs to whichever module has read the C header first.
            let descriptor = open(destination.path, O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else { throw failure(errno) }
            defer { close(descriptor) }
            let size = lseek(descriptor, 0, SEEK_END)
            guard size >= 0 else { throw failure(errno) }
            return Int(size)
        }

        /// Copies beside the destination first, so that a partial file is never found there.
        private static func copy(_ source: URL, to destination: URL) throws(URLError) {
            let partial = destination.path + ".partial"
            unlink(partial)
            do {
                try FileManager.default.copyItem(atPath: source.path, toPath: partial)
            } catch {
                unlink(partial)
                throw failure(Self.code(of: error), error)
            }
            guard rename(partial, destination.path) == 0 else {
                let code = errno
                unlink(partial)
                throw failure(code)
            }
        }

        /// Returns the system's reason for an error of FileManager.
        private static func code(of error: any Error) -> Int32 {
            let beneath = (error as NSError).userInfo[NSUnderlyingErrorKey] as? POSIXError
            if let beneath { return beneath.code.rawValue }
            return switch (error as? CocoaError)?.code {
            case .fileWriteOutOfSpace: ENOSPC
            case .fileWriteVolumeReadOnly: EROFS
            default: EIO
            }
        }

        private static func failure(_ code: Int32, _ underlying: (any Error)? = nil) -> URLError {
            let reason = POSIXErrorCode(rawValue: code).map { POSIXError($0) as any Error }
            return URLError(
                .cannotMoveFile,
                userInfo: [
                    NSLocalizedDescriptionKey:
                        "the downloaded file cannot be moved to its place: \(String(cString: strerror(code)))",
                    NSUnderlyingErrorKey: underlying ?? reason ?? URLError(.unknown),
                ])
        }
    }
}

extension URLSession {
    package func downloadTaskPublisher(for url: URL, to destination: URL) -> DownloadTaskPublisher {
        downloadTaskPublisher(for: URLRequest(url: url), to: destination)
    }

    package func downloadTaskPublisher(for request: URLRequest, to destination: URL) -> DownloadTaskPublisher {
        DownloadTaskPublisher(request: request, to: destination, session: self)
    }
}

/// Receives the result of a download task; hides the subscriber's type, which is not Sendable, from the task's handler.
private protocol DownloadHandler: AnyObject, Sendable {
    func finish(_ location: URL?, _ response: URLResponse?, _ error: (any Error)?)
}
