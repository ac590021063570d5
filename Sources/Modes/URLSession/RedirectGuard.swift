// SPDX-License-Identifier: Apache-2.0

package import Foundation
package import FoundationNetworking
package import TrialKit

/// A session delegate that keeps what the user gave for one origin from following a redirect to another one.
///
/// URLSession forwards every field to any origin, and drops the body of a request that keeps its method. A URL's user
/// and password count as given. If the user gave nothing, every redirect is followed unchanged.
package final class RedirectGuard: NSObject, URLSessionTaskDelegate {
    private let target: TargetRequest?

    package init(_ settings: FetchSettings) {
        target = settings.target
    }

    package func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(allowed(request))
    }

    /// Returns the request that may follow a redirect; `nil` if none may, so that the redirect itself is the response.
    ///
    /// Other delegates call this from their own method (``TaskDelegate``): methods that a subclass adds to a protocol of its
    /// superclass are not called.
    func allowed(_ request: URLRequest) -> URLRequest? {
        guard let target else { return request }
        // Other methods have lost their body here, or would take it to another origin.
        guard let url = request.url, ["GET", "HEAD"].contains(request.httpMethod ?? "GET") else { return nil }
        var request = request
        request.httpBody = nil
        request.setValue(nil, forHTTPHeaderField: "Content-Type")
        guard URLOrigin(url) != target.origin else { return request }
        let secret = ["Authorization", "Cookie", "Proxy-Authorization"]
        for name in target.fields.map(\.name) + secret { request.setValue(nil, forHTTPHeaderField: name) }
        // If Location names only a host, the new URL has the user and the password of the old one.
        if var parts = URLComponents(url: url, resolvingAgainstBaseURL: true),
            parts.user != nil || parts.password != nil
        {
            parts.user = nil
            parts.password = nil
            request.url = parts.url
        }
        return request
    }
}

extension URLSession {
    /// A session for tasks with completion handlers; it has a delegate only if there is something to guard.
    ///
    /// The shared session has none, so that requests with anything to guard are not measured with it.
    package static func forTrial(
        _ settings: FetchSettings, _ configuration: URLSessionConfiguration? = nil
    ) -> URLSession {
        guard settings.session != .shared else { return .shared }
        let configuration = configuration ?? .forTrial(settings)
        guard settings.target != nil else { return URLSession(configuration: configuration) }
        return URLSession(configuration: configuration, delegate: RedirectGuard(settings), delegateQueue: nil)
    }
}
