// SPDX-License-Identifier: Apache-2.0

import Origin
import ProbeProtocol

extension BehaviourCatalog {
    static let configurations = [
        Behaviour(
            "request-timeout-zero", path: APIName.session,
            promise: "timeoutIntervalForRequest of 0 means no limit: an answer that begins after 1 s arrives.",
            documented: nil,
            flaw: Flaw(
                .hazard,
                cause:
                    "HTTPURLProtocol.swift:412: 0 is a time-out like any other, and MultiHandle.swift:458 makes 1 ms of it",
                workaround: .row("request-timeout", "a time-out that is longer than any wait"))
        ) { answered($0, "/bytes/2KiB") },
        Behaviour(
            "resource-timeout-zero", path: APIName.session,
            promise: "timeoutIntervalForResource of 0 means no limit: an answer that begins after 1 s arrives.",
            documented: nil
        ) { answered($0, "/bytes/2KiB") },
        Behaviour(
            "additional-headers", path: APIName.session,
            promise: "httpAdditionalHeaders reach data, download and upload tasks, and redirected requests.",
            documented: .apple("httpAdditionalHeaders", "foundation/urlsessionconfiguration/httpadditionalheaders"),
            observe: headersEverywhere),
        Behaviour(
            "configuration-copied", path: APIName.session,
            promise: "Changing a configuration has no effect on the sessions that were made with it.",
            documented: .apple("URLSessionConfiguration", "foundation/urlsessionconfiguration"),
            observe: headerBefore),
        Behaviour(
            "configuration-shown", path: APIName.session,
            promise: "Changing the configuration that a session shows has no effect on the session.",
            documented: .apple("URLSession.configuration", "foundation/urlsession/configuration"),
            flaw: Flaw(
                .broken,
                cause:
                    "URLSession.swift:275 shows the object itself, and HTTPURLProtocol.swift:370 reads it for each request",
                workaround: .row("configuration-copied", "change the configuration that you made, not the one shown")),
            observe: headerBefore),
        Behaviour(
            "proxy-dictionary", path: APIName.session,
            promise: "connectionProxyDictionary sends a request to the proxy.",
            documented: .apple(
                "connectionProxyDictionary", "foundation/urlsessionconfiguration/connectionproxydictionary"),
            flaw: Flaw(
                .absent, cause: "Configuration.swift:93 copies it, and nothing reads it (EasyHandle.swift:305: a TODO)",
                upstream: [.foundation(5199, .open)],
                workaround: .row("proxy-variable", "the variable http_proxy, which libcurl reads"))
        ) { proxied($0, 1, else: .absent) },
        Behaviour(
            "cookies-ephemeral", path: APIName.session,
            promise: "An ephemeral session sends its cookies back, and another session does not know them.",
            documented: .ephemeral
        ) { cookies($0, own: true, other: false, "another session") },
        Behaviour(
            "cookies-kept-expires", path: APIName.session,
            promise: "A default session keeps a cookie with Expires for the next process.",
            documented: .persistentCookies
        ) { cookies($0, own: true, other: true, "the next process") },
        Behaviour(
            "cookies-kept-max-age", path: APIName.session,
            promise: "A default session keeps a cookie with Max-Age alone for the next process.",
            documented: .persistentCookies,
            flaw: Flaw(
                .broken,
                cause: "HTTPCookie.swift:344: Max-Age gives a date only to cookies of version 1, and "
                    + "HTTPCookieStorage keeps on disk those that have a date",
                workaround: .row("cookies-kept-expires", "let the server send Expires, too"))
        ) { cookies($0, own: true, other: true, "the next process") },
        Behaviour(
            "caches-ephemeral", path: APIName.session,
            promise: "The URLCache of an ephemeral session answers the second request for what may be cached for 60 s.",
            documented: .ephemeral,
            flaw: Flaw(
                .broken,
                cause:
                    "HTTPURLProtocol.swift:539 says notAllowed; tasks with completion handlers are never offered (:541)",
                upstream: [.foundation(3484, .closed, "not done"), .foundation(2401, .merged)],
                workaround: .untried("store bodies in the application, with their validators"))
        ) { evidence in
            let count = evidence.requests.count
            return .decide(count == 1, "\(count) of 5 requests reached the origin")
        },
    ]

    static let proxies = [
        proxyVariable("", APIName.session), proxyVariable("-curl", APIName.curl),
        Behaviour(
            "proxy-variable-ahc", path: APIName.client,
            promise: "The variable http_proxy sends no request to a proxy: only the configuration does.",
            documented: nil, proxied: true
        ) { proxied($0, 0) },
    ]

    private static func proxyVariable(_ suffix: String, _ path: String) -> Behaviour {
        Behaviour(
            "proxy-variable" + suffix, path: path,
            promise: "A request goes to the proxy that the variable http_proxy names.", documented: nil, proxied: true
        ) { proxied($0, 1) }
    }

    private static func proxied(_ evidence: Evidence, _ expected: Int, else word: Verdict = .broken) -> Observation {
        let proxied = evidence.requests.count { $0.path.hasSuffix("/bytes/2KiB") }
        return .decide(
            proxied == expected, else: word,
            "\(ObservationText.count(proxied, "request")) at the proxy; the caller got error "
                + (evidence.fact("error") ?? "none"))
    }

    private static func answered(_ evidence: Evidence, _ path: String) -> Observation {
        guard let error = evidence.fact("error") else { return .missing("end of the request") }
        let request = evidence.requests(to: path).first
        return .decide(
            request?.ending == .complete && error == "none",
            (request == nil
                ? "the request did not reach the origin"
                : "the request ended after \(ObservationText.seconds(request?.seconds))")
                + "; the caller got error \(error)")
    }

    private static func headersEverywhere(_ evidence: Evidence) -> Observation {
        let with = evidence.requests.count { $0.headers["x-everywhere"] == "yes" }
        return .decide(
            with == evidence.requests.count && evidence.requests.count == 4,
            "\(with) of \(ObservationText.count(evidence.requests.count, "request")) had the header; 4 were made")
    }

    private static func headerBefore(_ evidence: Evidence) -> Observation {
        let header = evidence.requests.first?.headers["x-header"] ?? "nothing"
        return .decide(header == "before", "the origin was sent \(header); the session was made with before")
    }

    /// Judges two requests: one of the session that got the cookie, one of somebody else.
    private static func cookies(_ evidence: Evidence, own: Bool, other: Bool, _ who: String) -> Observation {
        guard let first = evidence.requests(to: "/bytes/1KiB").first,
            let second = evidence.requests(to: "/bytes/2KiB").first
        else { return .missing("pair of requests at the origin") }
        let seen = (first.headers["cookie"] != nil, second.headers["cookie"] != nil)
        func verb(_ sent: Bool) -> String { sent ? "sent the cookie" : "sent no cookie" }
        return .decide(seen == (own, other), "the session \(verb(seen.0)), \(who) \(verb(seen.1))")
    }
}

extension Documentation {
    fileprivate static let ephemeral = apple(
        "URLSessionConfiguration.ephemeral", "foundation/urlsessionconfiguration/ephemeral")
    fileprivate static let persistentCookies = rfc(6265, "5.3")
}
