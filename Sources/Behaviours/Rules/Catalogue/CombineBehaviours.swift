// SPDX-License-Identifier: Apache-2.0

import Origin

extension BehaviourCatalog {
    static let combine = [
        Behaviour(
            "share", path: APIName.combine, promise: "share() loads once for two subscribers.",
            documented: .apple("Publisher.share()", "combine/publisher/share()")
        ) { evidence in
            let arrived = ["first", "second"].count { Expected.matches(evidence.file($0), bytes: 64 << 10) }
            return .decide(
                evidence.requests.count == 1 && arrived == 2,
                "\(ObservationText.count(evidence.requests.count, "request")) for two subscribers, \(arrived) of them got the body"
            )
        },
        Behaviour(
            "retry", path: APIName.combine, promise: "retry(2) asks three times in all.",
            documented: .apple("Publisher.retry(_:)", "combine/publisher/retry(_:)")
        ) { evidence in
            let count = evidence.requests(to: "/faults/status/500").count
            return .decide(count == 3, "the origin was asked \(count) times")
        },
        Behaviour(
            "catch", path: APIName.combine, promise: "catch asks a fallback URL after a failure.",
            documented: .apple("Publisher.catch(_:)", "combine/publisher/catch(_:)")
        ) { evidence in
            let paths = evidence.requests.map(\.path)
            let arrived = Expected.matches(evidence.file("body"), bytes: 64 << 10)
            return .decide(
                paths == ["/faults/status/500", "/bytes/64KiB"] && arrived,
                "the origin was asked for \(paths.joined(separator: ", ")); the body \(arrived ? "arrived" : "did not arrive")"
            )
        },
        Behaviour(
            "catch-fails", path: APIName.combine,
            promise: "A fallback that fails too gives its own error, and not the first one.",
            documented: .apple("Publisher.catch(_:)", "combine/publisher/catch(_:)")
        ) { evidence in
            // The status 500 is made an error by the probe, -1011.
            let (first, error) = ("-1011", evidence.fact("error") ?? "none")
            return .decide(
                evidence.requests.map(\.path) == ["/faults/status/500", "/faults/reset"]
                    && ![first, "none"].contains(error),
                "\(ObservationText.count(evidence.requests.count, "request")); the caller got error \(error), "
                    + "the first one was \(first)")
        },
        Behaviour(
            "replace-error", path: APIName.combine, promise: "replaceError gives its value for a failure.",
            documented: .apple("Publisher.replaceError(with:)", "combine/publisher/replaceerror(with:)")
        ) {
            evidence in
            let count = evidence.requests(to: "/faults/status/500").count
            let bytes = evidence.file("body")?.bytes ?? 0
            return .decide(
                count == 1 && bytes == 7 && evidence.fact("error") == nil,
                "\(ObservationText.count(count, "request")), \(bytes) of 7 bytes of the replacement")
        },
        Behaviour(
            "receive-on", path: APIName.combine, promise: "receive(on:) delivers on the queue it was given.",
            documented: .apple("Publisher.receive(on:options:)", "combine/publisher/receive(on:options:)")
        ) {
            evidence in
            guard evidence.requests.count == 1, evidence.file("body") != nil else { return .missing("delivered body") }
            return .decide(
                evidence.fact("on-queue") == "true" && evidence.count("on-queue", "false") == 0,
                "1 request, delivered \(evidence.fact("on-queue") == "true" ? "on" : "beside") the queue")
        },
        Behaviour(
            "order-flat-map", path: APIName.combine,
            promise:
                "By construction: flatMap over parallel requests gives their answers in the order of arrival, not of the requests.",
            documented: nil
        ) { ordered($0, by: arrived, as: "in the order of arrival") },
        Behaviour(
            "order-zip", path: APIName.combine,
            promise: "By construction: zip over parallel requests keeps their order.", documented: nil
        ) { ordered($0, by: asked, as: "in the order of the requests") },
        Behaviour(
            "order-task-group", path: APIName.tasks,
            promise: "By construction: answers put back by index have the order of parallel requests.", documented: nil
        ) { ordered($0, by: asked, as: "in the order of the requests") },
    ]

    /// The SHA-256 of the three bodies in the order of their requests: the slowest was requested first.
    private static let asked = joined([1, 2, 3])
    /// The same in the order of their answers.
    private static let arrived = joined([3, 2, 1])

    /// Returns the SHA-256 of bodies of 64 KiB with these seeds, one after the other.
    static func joined(_ seeds: [UInt64]) -> String? {
        try? MemoryBytes(
            seeds.flatMap { seed in
                var part = [UInt8](repeating: 0, count: 64 << 10)
                try part.withUnsafeMutableBytes {
                    try GeneratedBytes(byteCount: $0.count, seed: seed).read(into: $0, at: 0)
                }
                return part
            }
        ).sha256()
    }

    private static func ordered(_ evidence: Evidence, by expected: String?, as order: String) -> Observation {
        guard evidence.requests.count == 3, evidence.mostConcurrent > 1 else {
            return .missing("set of three parallel requests")
        }
        let ends = evidence.requests.sorted { ($0.endedNanoseconds ?? 0) < ($1.endedNanoseconds ?? 0) }
            .map { $0.query["seed"] ?? "?" }
        let file = evidence.file("body")
        let isOrdered = file?.bytes == 3 * 64 << 10 && expected != nil && file?.sha256 == expected
        return .decide(
            isOrdered,
            "the origin ended \(ends.joined(separator: ", ")); the caller had them "
                + (isOrdered ? order : "in another order"))
    }
}
