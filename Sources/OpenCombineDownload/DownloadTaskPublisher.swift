// SPDX-License-Identifier: Apache-2.0

package import Foundation
package import FoundationNetworking
package import OpenCombine

/// A publisher of one download, which OpenCombine has none of: a task for each subscriber, started by its demand.
///
/// It tells one value, from the thread that URLSession calls handlers on, and then the end; a status is part of the
/// value, for the subscriber to judge. Who cancels is told nothing more, and the task ends with it. Subscribers that
/// share it (`share()`) have one task together.
package struct DownloadTaskPublisher: Publisher, Sendable {
    /// A finished download.
    package struct Output: Sendable {
        /// The file, in its place; it is the subscriber's.
        package let file: URL
        /// How many bytes it has.
        package let byteCount: Int
        /// What the origin answered, whatever its status.
        package let response: URLResponse
    }

    /// What URLSession reports, and `cannotMoveFile` where the file cannot be brought to its place.
    package typealias Failure = URLError

    /// What every subscriber asks the origin for.
    package let request: URLRequest
    /// Where the file is moved to before the task forgets it; what is there is replaced.
    package let destination: URL
    /// The session of the tasks.
    package let session: URLSession

    /// Describes a download.
    /// - Parameters:
    ///   - request: What every subscriber asks the origin for.
    ///   - destination: Where the file is moved to; what is there is replaced.
    ///   - session: The session of the tasks, with no delegate of its own.
    package init(request: URLRequest, to destination: URL, session: URLSession) {
        self.request = request
        self.destination = destination
        self.session = session
    }

    /// Hands a subscriber its subscription; nothing is asked for before there is demand.
    package func receive<Downstream: Subscriber>(subscriber: Downstream)
    where Downstream.Input == Output, Downstream.Failure == URLError {
        subscriber.receive(subscription: DownloadSubscription(to: self, of: subscriber))
    }
}

extension URLSession {
    /// A publisher of the download of a URL to a file.
    ///
    /// - Parameters:
    ///   - url: Where the body is.
    ///   - destination: Where the file is moved to; what is there is replaced.
    package func downloadTaskPublisher(for url: URL, to destination: URL) -> DownloadTaskPublisher {
        downloadTaskPublisher(for: URLRequest(url: url), to: destination)
    }

    /// A publisher of the download that a request asks for.
    ///
    /// - Parameters:
    ///   - request: What is asked for.
    ///   - destination: Where the file is moved to; what is there is replaced.
    package func downloadTaskPublisher(for request: URLRequest, to destination: URL) -> DownloadTaskPublisher {
        DownloadTaskPublisher(request: request, to: destination, session: self)
    }
}
