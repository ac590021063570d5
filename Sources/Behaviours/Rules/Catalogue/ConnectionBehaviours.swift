// SPDX-License-Identifier: Apache-2.0

import Origin
import ProbeProtocol

extension BehaviourCatalog {
    static let connections = [
        Behaviour(
            "connections-per-host", path: APIName.session,
            promise:
                "httpMaximumConnectionsPerHost of 5 keeps 10 tasks of one session to 5 HTTP/1.1 connections at a time.",
            documented: .apple(
                "httpMaximumConnectionsPerHost", "foundation/urlsessionconfiguration/httpmaximumconnectionsperhost"),
            observe: limitedToFive),
        Behaviour(
            "connections-per-host-ahc", path: APIName.client,
            promise: "A soft limit of 5 connections per host keeps 10 requests to 5 at a time.",
            documented: .client("Sources/AsyncHTTPClient/HTTPClient.swift", 1408),
            observe: limitedToFive),
        Behaviour(
            "leaves-nothing-data", path: APIName.data,
            promise: "1,000 requests leave no memory, descriptor or thread behind, whatever their URL is made of.",
            documented: nil,
            seconds: 180,
            flaw: Flaw(
                .broken,
                cause: "CFURLSessionInterface.c:709: CFURLSessionCurlHostIsEqual gives a CURLU to curl_free, not to "
                    + "curl_url_cleanup. That explains 80 to 176 bytes a request, by the parts of the URL; the cause of "
                    + "the rest is not known",
                upstream: [
                    .foundation(4836, .merged, "introduced it"), .foundation(5498, .merged, "on main only, not in 6.4"),
                ], fixedIn: "main", workaround: .row("leaves-nothing-ahc", "async-http-client"))
        ) { nothingLeft($0, forms: URLForm.allCases.map(\.rawValue)) },
        Behaviour(
            "leaves-nothing-ahc", path: APIName.client,
            promise: "1,000 requests leave no memory, descriptor or thread behind.", documented: nil, seconds: 180
        ) { nothingLeft($0, forms: [URLForm.path.rawValue]) },
        Behaviour(
            "sessions-independent", path: APIName.session,
            promise: "A session whose consumer makes it wait for 3 s does not delay another session.", documented: nil,
            seconds: 30,
            flaw: Flaw(
                .blocks,
                cause:
                    "URLSession.swift:220, 232, 254: one serial queue for every session of the process; dataTask waits in "
                    + "workQueue.sync (:562)",
                upstream: [.foundation(5016, .merged, "introduced the queue"), .foundation(3497, .open, "related")],
                workaround: .untried("return from delegate calls at once, and from addOperation of a delegate's queue")),
            observe: secondSessionServed),
        Behaviour(
            "caches", path: APIName.session,
            promise: "A URLCache answers the second request for what may be cached for 60 s.",
            documented: .apple("URLSessionConfiguration.urlCache", "foundation/urlsessionconfiguration/urlcache"),
            flaw: Flaw(
                .broken,
                cause:
                    "HTTPURLProtocol.swift:539 says notAllowed; tasks with completion handlers are never offered (:541)",
                upstream: [.foundation(3484, .closed, "not done"), .foundation(2401, .merged)],
                workaround: .untried("store bodies in the application, with their validators"))
        ) { evidence in
            let count = evidence.requests.count
            guard count > 0 else { return .missing("request at the origin") }
            return .decide(count == 1, "\(count) of 5 requests reached the origin")
        },
    ]

    private static func limitedToFive(_ evidence: Evidence) -> Observation {
        let most = evidence.mostConcurrent
        let connections = Set(evidence.requests.map(\.connection)).count
        return .decide(
            most == 5 && evidence.requests.count == 10,
            "\(evidence.requests.count) requests, at most \(most) at a time, over "
                + ObservationText.count(connections, "connection"))
    }

    /// The growth that is not a leak: 16 bytes a request are four pages for a thousand of them.
    private static let noise = (bytesPerRequest: 16, descriptors: 2, threads: 4)

    /// Judges each form of URL by the smallest growth of its rounds: a leak grows in every round.
    private static func nothingLeft(_ evidence: Evidence, forms: [String]) -> Observation {
        var isRight = true
        var words: [String] = []
        for form in forms {
            let rounds = (0...LeakRounds.count).compactMap { evidence.mark("\(form)-\($0)") }
            guard rounds.count == LeakRounds.count + 1,
                zip(rounds, rounds.dropFirst()).allSatisfy({ $1.requests - $0.requests == LeakRounds.requests })
            else { return .missing("account of \(LeakRounds.count) rounds of \(LeakRounds.requests) requests") }
            let growths = zip(rounds, rounds.dropFirst()).map {
                ($1.anonymousBytes - $0.anonymousBytes) / LeakRounds.requests
            }
            isRight = isRight && (growths.min() ?? 0) <= noise.bytesPerRequest
            words.append("\(form) \(growths.map(String.init).joined(separator: ", "))")
        }
        guard let first = evidence.marks.first, let last = evidence.marks.last else { return .missing("mark") }
        isRight =
            isRight && last.descriptors - first.descriptors <= noise.descriptors
            && last.threads - first.threads <= noise.threads
        return .decide(
            isRight,
            "bytes a request that stayed in \(LeakRounds.count) rounds of \(LeakRounds.requests), by form of URL: "
                + "\(words.joined(separator: "; ")); descriptors \(first.descriptors) → \(last.descriptors), threads "
                + "\(first.threads) → \(last.threads)")
    }

    /// The limit in seconds for the other session's request to reach the origin: a third of the consumer's time.
    private static let ownDelay = 1.0

    private static func secondSessionServed(_ evidence: Evidence) -> Observation {
        guard evidence.mark("blocked")?.requests == 1, let begun = evidence.fact("begun").flatMap({ Int($0) }) else {
            return .missing("blocked session")
        }
        guard let other = evidence.requests(to: "/bytes/1KiB").first(where: { $0.ending == .complete }) else {
            return Observation(.deadlocks, "the other session's request was never answered")
        }
        let delay = Double(other.beganNanoseconds - begun) / 1e9
        return .decide(
            delay <= ownDelay, else: .blocks,
            "the other session's request reached the origin after \(ObservationText.seconds(delay)), and was answered; the consumer "
                + "of the first one took 3 s")
    }

    /// A kept connection that is lost when a request has arrived and nothing was answered.
    static let lostConnections = [
        Behaviour(
            "get-kept-connection", path: APIName.data,
            promise: "A GET is sent again, and answered, if a kept connection is lost before its answer.",
            documented: nil
        ) { lost($0, heads: 2, whole: 2, error: "none") },
        Behaviour(
            "post-kept-connection", path: APIName.data,
            promise: "A POST is not sent again if a kept connection is lost before its answer.",
            documented: .rfc(9110, "9.2.2"),
            flaw: Flaw(
                .broken,
                cause:
                    "on a connection that it kept libcurl repeats a POST like a GET; NativeProtocol.swift:296: "
                    + "seekInputStream does not rewind a body and reports no error, so the second POST has a "
                    + "Content-Length and no body, and waits until it times out",
                upstream: [.foundation(1629, .merged, "made it silent")],
                workaround: .row("post-new-session", "a session of its own for each POST"))
        ) { evidence in
            // Whatever the error is: it is the caller's to decide.
            let error = evidence.fact("lost-error") == "none" ? "an error" : evidence.fact("lost-error")
            return lost(evidence, heads: 1, whole: 1, error: error ?? "an error")
        },
        Behaviour(
            "post-new-session", path: APIName.data,
            promise: "By hand: a POST in a session of its own is sent once, whatever happened to kept connections.",
            documented: nil
        ) { lost($0, heads: 1, whole: 1, error: "none") },
    ]

    /// Requires so many beginnings of the request at the server, so many of them whole, and this error.
    private static func lost(_ evidence: Evidence, heads: Int, whole: Int, error: String) -> Observation {
        guard evidence.fact("kept-error") == "none", evidence.fact("other-error") == "none",
            let seen = evidence.fact("heads").flatMap({ Int($0) }), let complete = evidence.fact("whole"),
            let got = evidence.fact("lost-error")
        else { return .missing("answer to the requests before and after") }
        return .decide(
            seen == heads && complete == "\(whole)" && got == error,
            "the server got it \(ObservationText.count(seen, "time")), \(complete) of them whole; "
                + "the caller got \(got == "none" ? "an answer" : "error \(got)")")
    }
}
