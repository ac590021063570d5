// SPDX-License-Identifier: Apache-2.0

package import Foundation
package import FoundationNetworking
package import OpenCombine

/// A publisher of one download, which OpenCombine lacks: a task per subscriber, started by its demand.
///
/// It sends one value on the thread of URLSession's handlers, and completes. A status is part of the value, for the
/// subscriber to check. Cancelling ends the task without another call. Subscribers that `share()` it have one task
/// together. Once `cancel()` has returned, nothing is moved to the destination.
package struct DownloadTaskPublisher: Publisher, Sendable {
    package struct Output: Sendable {
        /// The file at its destination, owned by the subscriber.
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
        self.request = request
        self.destination = destination
        self.session = session
    }

    /// Sends the subscription; nothing is requested before there is demand.
    package func receive<Downstream: Subscriber>(subscriber: Downstream)
    where Downstream.Input == Output, Downstream.Failure == URLError {
        subscriber.receive(subscription: DownloadSubscription(to: self, of: subscriber))
    }
}

extension URLSession {
    /// Returns a publisher of the download of a URL to `destination`, where an existing file is replaced.
    package func downloadTaskPublisher(for url: URL, to destination: URL) -> DownloadTaskPublisher {
        downloadTaskPublisher(for: URLRequest(url: url), to: destination)
    }

    /// Returns a publisher of the download of a request to `destination`, where an existing file is replaced.
    package func downloadTaskPublisher(for request: URLRequest, to destination: URL) -> DownloadTaskPublisher {
        DownloadTaskPublisher(request: request, to: destination, session: self)
    }
}
