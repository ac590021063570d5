// SPDX-License-Identifier: Apache-2.0

import MemProbe
import Origin
import ProbeProtocol

extension BehaviourCatalog {
    private static let large = 64 << 20

    /// Defaults of async-http-client.
    static let clientDefaults = [
        Behaviour(
            "get-limit-ahc", path: APIName.client,
            promise: "get(url:), for which no limit is set, refuses a body of 64 MiB.",
            documented: .client(
                "Sources/AsyncHTTPClient/HTTPHandler.swift", 558, says: "the limit is 2^32 bytes by default"),
            flaw: Flaw(
                .hazard, cause: "HTTPHandler.swift:563: the accumulator of get and execute takes up to 4 GiB",
                upstream: [.client(332, .open), .client(637, .merged, "made the limit a setting")],
                workaround: .row("accumulator-limit-ahc", "execute with a ResponseAccumulator of a maxBodySize")),
            observe: refusedLarge),
        Behaviour(
            "accumulator-limit-ahc", path: APIName.client,
            promise: "A ResponseAccumulator with a maxBodySize of 1 MiB refuses a body of 64 MiB.",
            documented: .client("Sources/AsyncHTTPClient/HTTPHandler.swift", 568), observe: refusedLarge),
        Behaviour(
            "redirects-default-ahc", path: APIName.client,
            promise: "A client with default settings follows 3 redirects to the body.",
            documented: .redirectLimit
        ) { evidence in
            let redirects = evidence.requests.count { $0.status == 302 }
            let body = evidence.requests(to: "/bytes/1KiB").count
            let delivered = evidence.fact("delivered") ?? "0"
            return .decide(
                redirects == 3 && body == 1 && delivered == "1024",
                "\(redirects) redirects answered, the body was asked for \(ObservationText.count(body, "time")), "
                    + "\(delivered) bytes delivered")
        },
    ]

    private static func refusedLarge(_ evidence: Evidence) -> Observation {
        guard let request = evidence.requests(to: "/bytes/64MiB").first else { return .missing("large body") }
        let (delivered, error) = (evidence.fact("delivered") ?? "0", evidence.fact("error") ?? "none")
        return .decide(
            delivered == "0" && error != "none" && request.bytesSent.rawValue < large,
            "\(ObservationText.mebibytes(request.bytesSent.rawValue)) sent, \(delivered) bytes delivered, error \(error)"
        )
    }
}
