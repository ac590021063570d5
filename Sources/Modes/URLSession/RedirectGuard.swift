// SPDX-License-Identifier: Apache-2.0

package import Foundation
package import FoundationNetworking
package import TrialKit

/// A session's delegate that lets nothing of what a user has given for one origin follow a redirect to another one.
///
/// URLSession hands every field on, whoever it is for, and drops the body of a request that keeps its method. The user and
/// the password of a URL are given as well. Where the user gave nothing every redirect is followed as it stands.
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

    /// What may be sent where a redirect leads; `nil` where nothing may, so that the redirect itself is the answer.
    ///
    /// Delegates of other modes ask for it in their own method: one that they inherited would be called, but none of those
    /// that they add to a protocol which the superclass conforms to already.
    func allowed(_ request: URLRequest) -> URLRequest? {
        guard let target else { return request }
        // Anything else has lost its body here, or would take it to somebody else.
        guard let url = request.url, ["GET", "HEAD"].contains(request.httpMethod ?? "GET") else { return nil }
        var request = request
        request.httpBody = nil
        request.setValue(nil, forHTTPHeaderField: "Content-Type")
        guard URLOrigin(url) != target.origin else { return request }
        let secret = ["Authorization", "Cookie", "Proxy-Authorization"]
        for name in target.fields.map(\.name) + secret { request.setValue(nil, forHTTPHeaderField: name) }
        // Where Location names a host alone, the new URL has the user and the password of the old one.
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
    /// The session of a mode whose tasks have completion handlers: with a delegate only where there is something to guard.
    package static func forTrial(
        _ settings: FetchSettings, _ configuration: URLSessionConfiguration? = nil
    ) -> URLSession {
        let configuration = configuration ?? .forTrial(settings)
        guard settings.target != nil else { return URLSession(configuration: configuration) }
        return URLSession(configuration: configuration, delegate: RedirectGuard(settings), delegateQueue: nil)
    }
}
