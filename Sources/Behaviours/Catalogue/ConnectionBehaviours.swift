// SPDX-License-Identifier: Apache-2.0

import AssetServer

extension BehaviourCatalog {
    /// Many requests at once, and what remains of them.
    static let connections = [
        Behaviour(
            "connections-per-host", path: Path.session,
            promise: "httpMaximumConnectionsPerHost of 5 keeps 10 tasks to 5 connections at a time.",
            observe: limitedToFive),
        Behaviour(
            "connections-per-host-ahc", path: Path.client,
            promise: "A soft limit of 5 connections per host keeps 10 requests to 5 at a time.",
            observe: limitedToFive),
        Behaviour(
            "leaves-nothing-data", path: Path.data,
            promise: "1,000 requests leave no memory, descriptor or thread behind.", seconds: 60,
            observe: nothingLeft),
        Behaviour(
            "leaves-nothing-ahc", path: Path.client,
            promise: "1,000 requests leave no memory, descriptor or thread behind.", seconds: 60,
            observe: nothingLeft),
        Behaviour(
            "caches", path: Path.session,
            promise: "A URLCache answers the second request for what may be cached for 60 s."
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
                + Wording.count(connections, "connection"))
    }

    /// A page more or less is noise; a hundred bytes a request are 24 pages.
    private static let noise = (bytesPerRequest: 64, descriptors: 2, threads: 4)

    private static func nothingLeft(_ evidence: Evidence) -> Observation {
        guard let warm = evidence.mark("warm"), let after = evidence.mark("after-1000"),
            after.requests - warm.requests == 1000
        else { return .missing("account of 1,000 requests") }
        let bytes = (after.anonymousBytes - warm.anonymousBytes) / 1000
        let descriptors = after.descriptors - warm.descriptors
        let threads = after.threads - warm.threads
        return .decide(
            bytes <= noise.bytesPerRequest && descriptors <= noise.descriptors && threads <= noise.threads,
            "\(bytes) bytes a request stayed; descriptors \(warm.descriptors) → \(after.descriptors), threads "
                + "\(warm.threads) → \(after.threads)")
    }
}
