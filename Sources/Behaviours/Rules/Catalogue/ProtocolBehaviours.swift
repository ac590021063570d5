// SPDX-License-Identifier: Apache-2.0

import MemProbe
import Origin

extension BehaviourCatalog {
    static let http = [
        Behaviour(
            "redirects", path: Path.data, promise: "5 redirects are followed to the body.", observe: followed),
        Behaviour(
            "redirect-loop", path: Path.data, promise: "A redirect to itself is given up after a limit.",
            observe: gaveUp),
        Behaviour(
            "redirects-ahc", path: Path.client, promise: "5 redirects are followed to the body.", observe: followed),
        Behaviour(
            "redirect-loop-ahc", path: Path.client,
            promise: "A redirect to itself is given up after the limit that was set, 5.", observe: gaveUpAfterFive),
        Behaviour(
            "unauthorized", path: Path.data, promise: "A 401 without credentials is handed to the caller.",
            flaw: Flaw(
                .hangs,
                cause:
                    "URLSessionTask.swift:1267: nothing is done without a credential, and the timer of the request is "
                    + "off by then (NativeProtocol.swift:268)",
                upstream: "swift-corelibs-foundation#5456, mended by #5458 in 6.3.2"),
            observe: handedOver),
        Behaviour(
            "unauthorized-ahc", path: Path.client, promise: "A 401 without credentials is handed to the caller.",
            observe: handedOver),
        Behaviour(
            "identity-encoding", path: Path.data,
            promise: "Accept-Encoding: identity reaches the origin as the caller set it."
        ) { evidence in
            guard let request = evidence.requests.first else { return .missing("request at the origin") }
            let sent = request.headers["accept-encoding"] ?? "nothing"
            return .decide(sent == "identity", "the origin was sent \(sent)")
        },
        Behaviour(
            "encoding-unasked", path: Path.data,
            promise: "A request that sets no Accept-Encoding asks for gzip, and the body is decoded.",
            observe: decoded),
        Behaviour(
            "tight-header", path: Path.data, promise: "A response header without a space after its colon is read.",
            flaw: Flaw(
                .broken, cause: "HTTPMessage.swift:398 splits at a colon and a space",
                upstream: "swift-corelibs-foundation#5527 (main), #5529 (6.4); #5528 declined for 6.3"),
            observe: readTightHeader),
        Behaviour(
            "tight-header-ahc", path: Path.client,
            promise: "A response header without a space after its colon is read.", observe: readTightHeader),
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
        try? Digest.sha256(of: $0)
    }

    private static func decoded(_ evidence: Evidence) -> Observation {
        guard let request = evidence.requests.first else { return .missing("request at the origin") }
        let asked = request.headers["accept-encoding"]
        let isCompressed = request.bytesSent.rawValue > 0 && request.bytesSent.rawValue < textSize
        let file = evidence.file("accepted")
        let isRight = file?.bytes == textSize && text != nil && file?.sha256 == text
        return .decide(
            (asked ?? "").contains("gzip") && isCompressed && isRight,
            "the origin was sent \(asked ?? "no Accept-Encoding") and sent \(request.bytesSent.rawValue) bytes for a text "
                + "of \(textSize); the caller got \(file.map { "\($0.bytes) bytes" } ?? "no body"), "
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
            "\(Wording.count(evidence.requests.count, "request")); the caller got \(status), error "
                + (evidence.fact("error") ?? "none"))
    }
}
