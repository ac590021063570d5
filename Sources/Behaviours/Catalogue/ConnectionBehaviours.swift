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
            "sessions-independent", path: Path.session,
            promise: "A session whose consumer makes it wait does not stop another session.",
            seconds: 10, observe: secondSessionServed),
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

    /// What a thousand requests may leave: the allocator's own noise is a page for every hundred of them.
    private static let noise = (bytesPerRequest: 64, descriptors: 2, threads: 4)

    /// What leaks does so in every round, so the smallest growth of three rounds counts.
    private static func nothingLeft(_ evidence: Evidence) -> Observation {
        let rounds = (0...3).compactMap { evidence.mark("round-\($0)") }
        guard rounds.count == 4, let first = rounds.first, let last = rounds.last,
            last.requests - first.requests == 3000
        else { return .missing("account of three rounds of 1,000 requests") }
        let growths = zip(rounds, rounds.dropFirst()).map { ($1.anonymousBytes - $0.anonymousBytes) / 1000 }
        return .decide(
            (growths.min() ?? 0) <= noise.bytesPerRequest && last.descriptors - first.descriptors <= noise.descriptors
                && last.threads - first.threads <= noise.threads,
            "\(growths.map(String.init).joined(separator: ", ")) bytes a request stayed in three rounds; descriptors "
                + "\(first.descriptors) → \(last.descriptors), threads \(first.threads) → \(last.threads)")
    }

    private static func secondSessionServed(_ evidence: Evidence) -> Observation {
        guard let blocked = evidence.mark("blocked"), let after = evidence.mark("after-3-s"), blocked.requests == 1
        else { return .missing("blocked session") }
        let served = evidence.requests(to: "/bytes/1KiB").contains {
            $0.ending == .complete && ($0.endedNanoseconds ?? Int.max) <= after.time
        }
        return .decide(
            served, "the other session's request \(served ? "was answered" : "did not reach the origin in 3 s")")
    }
}
