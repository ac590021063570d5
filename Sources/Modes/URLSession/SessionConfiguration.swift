// SPDX-License-Identifier: Apache-2.0

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
