// SPDX-License-Identifier: Apache-2.0

import CCurlTrust
package import Foundation
package import FoundationNetworking
package import TrialKit

extension URLSessionConfiguration {
    /// The configuration of every URLSession mode; time-outs are whole seconds: fractions fail at once on Linux.
    package static func forTrial(_ settings: FetchSettings) -> URLSessionConfiguration {
        let configuration = kind(settings.session)
        // A cached warm-up must not serve the fetch.
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        configuration.timeoutIntervalForRequest = Double(settings.idleTimeoutSeconds)
        if let count = settings.maximumConnectionsPerHost { configuration.httpMaximumConnectionsPerHost = count }
        return configuration
    }

    private static func kind(_ kind: SessionKind) -> URLSessionConfiguration {
        switch kind {
        case .bare:
            let configuration = URLSessionConfiguration.ephemeral
            configuration.urlCache = nil
            // A cookie of the warm-up would change the request of the fetch, in URLSession alone.
            configuration.httpCookieStorage = nil
            configuration.httpShouldSetCookies = false
            return configuration
        // Cache and cookies stay as they are: these kinds show what they cost.
        case .ephemeral: return .ephemeral
        // A mode with a delegate is not measured with the shared session.
        case .default, .shared: return .default
        }
    }
}

extension URLRequest {
    /// The request of a trial, for an uncompressed body unless the trial is about gzip.
    package init(_ request: FetchRequest, _ settings: FetchSettings) {
        self.init(url: request.url)
        // The session's policy does not replace the request's own on Linux.
        cachePolicy = .reloadIgnoringLocalCacheData
        let carried = settings.carried(by: request)
        httpMethod = carried?.method ?? request.method.rawValue
        httpBody = carried?.body
        setValue(
            settings.acceptsGzip && request.resumption == nil ? "gzip" : "identity",
            forHTTPHeaderField: "Accept-Encoding")
        for field in request.rangeFields { setValue(field.value, forHTTPHeaderField: field.name) }
        if let tag = request.entityTag { setValue(tag, forHTTPHeaderField: "If-None-Match") }
        for field in carried?.fields ?? [] { setValue(field.value, forHTTPHeaderField: field.name) }
        // The configuration of the shared session cannot be changed.
        if settings.session == .shared { timeoutInterval = Double(settings.idleTimeoutSeconds) }
    }
}

/// A fetcher or a relay that owns a session and ends it.
package protocol SessionOwner {
    var session: URLSession { get }
    /// False for the shared session, which traps on its next task once it was invalidated.
    var ownsSession: Bool { get }
}

extension SessionOwner {
    package var ownsSession: Bool { true }

    package func invalidate() async {
        if ownsSession { session.finishTasksAndInvalidate() }
    }
}

package enum URLSessionTrust {
    /// Trusts the trial's certificate authority, if there is one, from the next session on.
    package static func follow(_ settings: FetchSettings) throws(FetchFailure) {
        guard let path = settings.certificateAuthorityPath, !ccurltrust_authority(path) else { return }
        throw FetchFailure(.tls, "the path of the authority is too long")
    }
}

extension Set<ModeAbility> {
    package static let ofSession: Set<ModeAbility> = [
        .concurrency, .sessionConfiguration, .connectionLimit, .gzip, .revalidation, .requestDetails,
        .http2,
    ]

    /// The abilities of modes with completion handlers or a delegate, whose tasks can be cancelled.
    package static let ofCancellableSession: Self = ofSession.union([.cancellation])

    /// The abilities of modes that receive the body in pieces.
    static let ofSessionInPieces: Self = ofCancellableSession.union([.slowConsumer])
}

/// A session delegate that keeps what the user gave for one origin from following a redirect to another one.
///
/// URLSession forwards every field to any origin, and drops the body of a request that keeps its method. A URL's user
/// and password count as given. If the user gave nothing, every redirect is followed unchanged.
package final class RedirectGuard: NSObject, URLSessionTaskDelegate {
    private let target: TargetRequest?

    package init(_ settings: FetchSettings) { target = settings.target }

    package func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) { completionHandler(allowed(request)) }

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
        for name in target.fields.map(\.name) { request.setValue(nil, forHTTPHeaderField: name) }
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
