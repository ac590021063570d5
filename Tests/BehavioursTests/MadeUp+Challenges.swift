// SPDX-License-Identifier: Apache-2.0

import Behaviours
import MemProbe
import Origin
import ProbeProtocol

extension MadeUp {
    static let challenges: [MadeUp] = [
        MadeUp(
            "basic-challenge", holds: answered("/auth/basic"),
            breaks: Evidence(
                requests: [.seen("/auth/basic", status: 401)],
                facts: [Fact("asked", "challenge"), Fact("status", "401")])),
        MadeUp(
            "digest-challenge", holds: answered("/auth/digest"),
            breaks: Evidence(requests: [.seen("/auth/digest", status: 401)], facts: [Fact("status", "401")]),
            word: .absent),
        MadeUp("redirect-307-body", holds: posted(10_000, 307), breaks: posted(0, 307)),
        MadeUp("redirect-308-body", holds: posted(10_000, 308), breaks: posted(0, 308)),
        MadeUp(
            "redirect-cookie-delegate",
            holds: Evidence(requests: [moved, .seen(headers: ["cookie": "…"])]),
            breaks: Evidence(requests: [moved, .seen()])),
        MadeUp(
            "redirect-refused",
            holds: Evidence(requests: [moved], facts: [Fact("asked", "redirect"), Fact("status", "302")]),
            breaks: Evidence(requests: [moved, .seen()], facts: [Fact("asked", "redirect"), Fact("status", "200")])),
        MadeUp("redirects-at-once", holds: manyMoved(50), breaks: manyMoved(6), word: .hazard),
    ]

    private static let moved = RequestRecord.seen("/redirect/302", status: 302)

    private static func answered(_ path: String) -> Evidence {
        Evidence(
            requests: [.seen(path, status: 401), .seen(path)],
            facts: [Fact("asked", "challenge"), Fact("status", "200")])
    }

    private static func posted(_ bytes: Int, _ status: Int) -> Evidence {
        var next = RequestRecord.seen("/sink")
        next.method = "POST"
        next.bytesReceived = ByteCount(bytes)
        return Evidence(requests: [.seen("/redirect/\(status)", status: status), next])
    }

    private static func manyMoved(_ count: Int) -> Evidence {
        Evidence(
            requests: [RequestRecord](repeating: moved, count: 50) + [RequestRecord](repeating: .seen(), count: count),
            facts: [Fact](repeating: Fact("error", "none"), count: count))
    }
}
