// SPDX-License-Identifier: Apache-2.0

import AssetServer

extension BehaviourCatalog {
    /// What of HTTP is done for the caller.
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
            promise: "A redirect to itself is given up after the limit that was set, 5.", observe: gaveUp),
        Behaviour(
            "unauthorized", path: Path.data, promise: "A 401 without credentials is handed to the caller.", seconds: 8,
            observe: handedOver),
        Behaviour(
            "unauthorized-ahc", path: Path.client, promise: "A 401 without credentials is handed to the caller.",
            seconds: 8, observe: handedOver),
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
            promise: "A request that sets no Accept-Encoding asks for no compression."
        ) { evidence in
            guard let request = evidence.requests.first else { return .missing("request at the origin") }
            let sent = request.headers["accept-encoding"]
            return .decide(sent == nil || sent == "identity", "the origin was sent \(sent ?? "no Accept-Encoding")")
        },
        Behaviour(
            "tight-header", path: Path.data, promise: "A response header without a space after its colon is read.",
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

    /// More redirects than any limit in use, and none without one.
    private static let mostRedirects = 100

    private static func gaveUp(_ evidence: Evidence) -> Observation {
        let count = evidence.requests(to: "/faults/redirect-loop").count
        guard count > 0 else { return .missing("request at the origin") }
        return .decide(
            count <= mostRedirects && evidence.file("accepted") == nil,
            "\(count - 1) redirects followed, then the error \(evidence.fact("error") ?? "none")")
    }

    private static func readTightHeader(_ evidence: Evidence) -> Observation {
        guard evidence.requests.count == 1 else { return .missing("request at the origin") }
        let bytes = evidence.file("accepted")?.bytes
        return .decide(
            bytes == 3,
            "1 request; the caller got \(bytes.map { "\($0) bytes" } ?? "no body"), error "
                + (evidence.fact("error") ?? "none"))
    }

    private static func handedOver(_ evidence: Evidence) -> Observation {
        guard evidence.requests.contains(where: { $0.status == 401 }) else { return .missing("401 at the origin") }
        let status = evidence.fact("status") ?? "no status"
        return .decide(
            status == "401",
            "\(Wording.count(evidence.requests.count, "request")); the caller got \(status), error "
                + (evidence.fact("error") ?? "none"))
    }
}
