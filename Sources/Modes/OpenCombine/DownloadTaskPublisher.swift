// SPDX-License-Identifier: Apache-2.0

package import Foundation
package import FoundationNetworking
package import OpenCombine
package import TrialKit
import URLSessionModes

/// A publisher of one download, which OpenCombine has none of: a task for each subscriber, started by its demand.
package struct DownloadTaskPublisher: Publisher, Sendable {
    /// A finished download.
    package struct Output: Sendable {
        /// The file, in its place.
        package let file: URL
        /// How many bytes it has.
        package let byteCount: Int
        /// What the origin answered, whatever its status.
        package let response: URLResponse
    }

    package typealias Failure = FetchFailure

    let request: URLRequest
    let destination: URL
    let session: URLSession

    /// Describes a download.
    /// - Parameters:
    ///   - request: What every subscriber asks the origin for.
    ///   - destination: Where the file is moved to before the task forgets it.
    ///   - session: The session of the tasks, with no delegate of its own.
    package init(request: URLRequest, to destination: URL, session: URLSession) {
        self.request = request
        self.destination = destination
        self.session = session
    }

    package func receive<Downstream: Subscriber>(subscriber: Downstream)
    where Downstream.Input == Output, Downstream.Failure == FetchFailure {
        subscriber.receive(subscription: DownloadSubscription(to: self, of: subscriber))
    }
}
