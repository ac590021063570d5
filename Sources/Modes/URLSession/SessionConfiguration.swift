// SPDX-License-Identifier: Apache-2.0

package import FoundationNetworking
package import TrialKit

extension URLSessionConfiguration {
    /// The configuration of every URLSession mode; time-outs are whole seconds (a fraction of one fails at once on this
    /// platform).
    package static func forTrial(_ settings: FetchSettings) -> URLSessionConfiguration {
        let configuration = kind(settings.session)
        // Whatever is cached, the warm-up must not serve the fetch.
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        configuration.timeoutIntervalForRequest = Double(settings.idleTimeoutSeconds)
        if let count = settings.maximumConnectionsPerHost { configuration.httpMaximumConnectionsPerHost = count }
        return configuration
    }

    private static func kind(_ kind: SessionKind) -> URLSessionConfiguration {
        switch kind {
        case .ephemeral:
            let configuration = URLSessionConfiguration.ephemeral
            configuration.urlCache = nil
            // A cookie of the warm-up would make another request of the fetch, and in URLSession alone.
            configuration.httpCookieStorage = nil
            configuration.httpShouldSetCookies = false
            return configuration
        case .default:
            // The cache and the cookies stay as they are: what they cost is what this kind is there to show.
            return .default
        }
    }
}

extension URLRequest {
    /// The request of a trial, which asks for the body as it is, or for gzip where the trial is about that.
    package init(_ request: FetchRequest, _ settings: FetchSettings) {
        self.init(url: request.url)
        // A request has a policy of its own, which the session's does not replace on this platform.
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
    }
}

/// What fetches or passes on with a session of its own, which ends with it.
package protocol SessionOwner {
    var session: URLSession { get }
}

extension SessionOwner {
    package func invalidate() async {
        session.finishTasksAndInvalidate()
    }
}
