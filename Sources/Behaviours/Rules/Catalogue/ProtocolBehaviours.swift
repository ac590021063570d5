// SPDX-License-Identifier: Apache-2.0

import MemProbe
import Origin
import ProbeProtocol

extension BehaviourCatalog {
    static let http = [
        Behaviour(
            "redirects", path: APIName.data, promise: "5 redirects are followed to the body.", documented: .redirection,
            observe: followed),
        Behaviour(
            "redirect-loop", path: APIName.data, promise: "A redirect to itself is given up after a limit.",
            documented: .apple("URLError.httpTooManyRedirects", "foundation/urlerror/httptoomanyredirects"),
            observe: gaveUp),
        Behaviour(
            "redirects-ahc", path: APIName.client, promise: "5 redirects are followed to the body.",
            documented: .redirectLimit, observe: followed),
        Behaviour(
            "redirect-loop-ahc", path: APIName.client,
            promise: "A redirect to itself is given up after the limit that was set, 5.", documented: .redirectLimit,
            observe: gaveUpAfterFive),
        Behaviour(
            "unauthorized", path: APIName.data, promise: "A 401 without credentials is handed to the caller.",
            documented: nil,
            flaw: unreported, observe: handedOver),
        Behaviour(
            "unauthorized-ahc", path: APIName.client, promise: "A 401 without credentials is handed to the caller.",
            documented: nil,
            observe: handedOver),
        Behaviour(
            "identity-encoding", path: APIName.data,
            promise: "Accept-Encoding: identity reaches the origin as the caller set it.",
            documented: .apple(
                "URLRequest.setValue(_:forHTTPHeaderField:)", "foundation/urlrequest/setvalue(_:forhttpheaderfield:)")
        ) { evidence in
            guard let request = evidence.requests.first else { return .missing("request at the origin") }
            let sent = request.headers["accept-encoding"] ?? "nothing"
            return .decide(sent == "identity", "the origin was sent \(sent)")
        },
        Behaviour(
            "encoding-unasked", path: APIName.data,
            promise: "A request that sets no Accept-Encoding asks for gzip, and the body is decoded.", documented: nil,
            observe: decoded),
        Behaviour(
            "tight-header", path: APIName.data, promise: "A response header without a space after its colon is read.",
            documented: .fieldLine,
            flaw: Flaw(
                .broken,
                cause: "HTTPMessage.swift:406 refuses a value without a space or a tab before it; RFC 9112 makes "
                    + "that white space optional",
                upstream: [
                    .foundation(5527, .merged, "on main"), .foundation(5529, .merged, "for 6.4"),
                    .foundation(5528, .open, "for 6.3, declined in its thread"),
                ], fixedIn: "6.4", workaround: .row("tight-header-ahc", "async-http-client")),
            observe: readTightHeader),
        Behaviour(
            "tight-header-ahc", path: APIName.client,
            promise: "A response header without a space after its colon is read.", documented: .fieldLine,
            observe: readTightHeader),
    ]

    private static func followed(_ evidence: Evidence) -> Observation {
        let redirects = evidence.requests.count { $0.status == 302 }
        let reached = evidence.requests(to: "/bytes/1KiB").contains { $0.status == 200 }
        return .decide(
            redirects == 5 && reached && Expected.matches(evidence.file("accepted"), bytes: 1024),
            "\(redirects) redirects answered, the body \(reached ? "was asked for" : "was never asked for")")
    }

    /// A number of redirects above any client's limit.
    private static let mostRedirects = 100

    private static func gaveUp(_ evidence: Evidence) -> Observation {
        let count = evidence.requests(to: "/faults/redirect-loop").count
        guard count > 0 else { return .missing("request at the origin") }
        return .decide(
            count <= mostRedirects && evidence.file("accepted") == nil,
            "\(count - 1) redirects followed, then the error \(evidence.fact("error") ?? "none")")
    }

    /// Requires the first request and five redirected ones.
    private static func gaveUpAfterFive(_ evidence: Evidence) -> Observation {
        let count = evidence.requests(to: "/faults/redirect-loop").count
        return .decide(
            count == 6 && evidence.file("accepted") == nil,
            "\(count) of 6 requests, then the error \(evidence.fact("error") ?? "none")")
    }

    private static let textSize = 64 << 10
    private static let text: String? = (try? GeneratedText(byteCount: textSize, seed: 0)).flatMap {
        try? $0.sha256()
    }

    private static func decoded(_ evidence: Evidence) -> Observation {
        guard let request = evidence.requests.first else { return .missing("request at the origin") }
        let asked = request.headers["accept-encoding"]
        let isCompressed = request.bytesSent.rawValue > 0 && request.bytesSent.rawValue < textSize
        let file = evidence.file("accepted")
        let isRight = file?.bytes == textSize && text != nil && file?.sha256 == text
        return .decide(
            (asked ?? "").contains("gzip") && isCompressed && isRight,
            "the origin got \(asked.map { "Accept-Encoding \($0)" } ?? "no Accept-Encoding") and answered with "
                + "\(request.bytesSent.rawValue) bytes for a text of \(textSize); the caller got \(file.map { "\($0.bytes) bytes" } ?? "no body"), "
                + (isRight ? "the right ones" : "not the text"))
    }

    private static func readTightHeader(_ evidence: Evidence) -> Observation {
        guard evidence.requests.count == 1 else { return .missing("request at the origin") }
        let bytes = evidence.file("accepted")?.bytes
        return .decide(
            bytes == 3,
            "1 request; the caller got \(bytes.map { "\($0) bytes" } ?? "no body"), error "
                + (evidence.fact("error") ?? "none"))
    }

    /// Requires an answer within 5 s, which is more than twice the request time-out of 2 s.
    static let unreported = Flaw(
        .hangs,
        cause:
            "URLSessionTask.swift:1267: nothing is done without a credential, and the timer of the request is off by "
            + "then (NativeProtocol.swift:268)",
        upstream: [.foundation(5456, .closed), .foundation(5458, .merged)], fixedIn: "6.3.2",
        workaround: .row("unauthorized-ahc", "async-http-client"))

    private static func handedOver(_ evidence: Evidence) -> Observation {
        guard evidence.requests.contains(where: { $0.status == 401 }) else { return .missing("401 at the origin") }
        if evidence.mark("after-5-s") != nil, evidence.fact("status") == nil, evidence.fact("error") == nil {
            let answered = evidence.requests(to: "/bytes/1KiB").contains { $0.ending == .complete }
            return Observation(
                answered ? .hangs : .deadlocks,
                "the caller was told nothing in 5 s, with a request time-out of 2 s; another request of the session was "
                    + (answered ? "answered meanwhile" : "not answered either"))
        }
        let status = evidence.fact("status") ?? "no status"
        return .decide(
            status == "401",
            "\(ObservationText.count(evidence.requests.count, "request")); the caller got \(status), error "
                + (evidence.fact("error") ?? "none"))
    }

    static let customProtocols = [
        Behaviour(
            "custom-protocol-data", path: APIName.data, promise: "A URLProtocol of the application serves a data task.",
            documented: .protocolClasses, observe: servedByHand),
        Behaviour(
            "custom-protocol-download", path: APIName.download,
            promise: "A URLProtocol of the application serves a download task with a completion handler.",
            documented: .protocolClasses,
            flaw: Flaw(
                .broken,
                cause:
                    "URLSessionTask.swift:1217: the file is that of the library's own protocols; data of another one "
                    + "is never written",
                upstream: [.foundation(3367, .open)], workaround: workaround),
            observe: servedByHand),
        Behaviour(
            "custom-protocol-download-delegate", path: APIName.download,
            promise: "A URLProtocol of the application serves a download task with a delegate.",
            documented: .protocolClasses,
            flaw: Flaw(
                .traps,
                cause:
                    "URLSessionTask.swift:1170: a forced cast of the file, which only the library's own protocols set",
                upstream: [.foundation(3367, .open)], workaround: workaround),
            observe: servedByHand),
    ]

    private static let workaround = Workaround.row("custom-protocol-data", "a data task, whose body you write")

    private static func servedByHand(_ evidence: Evidence) -> Observation {
        let reached = evidence.requests(to: "/bytes/2KiB").count
        let (delivered, error) = (evidence.fact("delivered") ?? "no", evidence.fact("error") ?? "none")
        return .decide(
            delivered == "7" && error == "none" && reached == 0,
            "\(delivered) of 7 bytes delivered, error \(error); \(ObservationText.count(reached, "request")) at the origin"
        )
    }
}

extension Documentation {
    fileprivate static let protocolClasses = apple(
        "protocolClasses", "foundation/urlsessionconfiguration/protocolclasses")
}
