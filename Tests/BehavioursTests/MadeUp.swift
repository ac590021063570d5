// SPDX-License-Identifier: Apache-2.0

import Behaviours
import MemProbe
import OperatingSystem
import Origin
import ProbeProtocol
import Testing

/// Evidence that nobody saw: for each behaviour one piece that keeps the promise and one that does not.
struct MadeUp: Sendable, CustomTestStringConvertible {
    var name: String
    var holds: Evidence
    var breaks: Evidence
    var word = Verdict.broken

    init(_ name: String, holds: Evidence, breaks: Evidence, word: Verdict = .broken) {
        self.name = name
        self.holds = holds
        self.breaks = breaks
        self.word = word
    }

    /// Evidence of one fact by a value that keeps the promise and one that does not, beside others that stay as they are.
    init(
        _ name: String, _ fact: String, _ good: String, _ bad: String, and others: KeyValuePairs<String, String> = [:],
        requests: [RequestRecord] = [.seen()], word: Verdict = .broken
    ) {
        func evidence(_ value: String) -> Evidence {
            Evidence(requests: requests, facts: [Fact(fact, value)] + others.map { Fact($0, $1) })
        }
        self.init(name, holds: evidence(good), breaks: evidence(bad), word: word)
    }

    var testDescription: String { name }
}

func times<Element>(_ count: Int, _ element: Element) -> [Element] { [Element](repeating: element, count: count) }

extension RequestRecord {
    /// A request for a body that ended well, unless something else is said; times are in milliseconds.
    static func seen(
        _ path: String = "/bytes/1KiB", query: [String: String] = [:], headers: [String: String] = [:],
        status: Int? = 200, connection: Int = 1, from began: Int = 0, to ended: Int? = 10, bytes: Int = 1024,
        ending: Ending? = .complete
    ) -> RequestRecord {
        RequestRecord(
            number: 1, connection: connection, method: "GET", path: path, query: query, headers: headers,
            status: status, beganNanoseconds: began * 1_000_000, endedNanoseconds: ended.map { $0 * 1_000_000 },
            bytesSent: ByteCount(bytes), ending: ending)
    }
}

extension SeenFile {
    static func generated(_ name: String, bytes: Int, seed: UInt64 = 0) -> SeenFile {
        SeenFile(name: name, bytes: bytes, sha256: Expected.sha256(bytes: bytes, seed: seed))
    }
}

extension MadeUp {
    static let answerForms: [MadeUp] =
        ["", "-ahc"].flatMap { suffix in
            ["no-reason", "bare-lf", "no-length"].map { MadeUp($0 + suffix, holds: whole, breaks: refused) }
                + ["no-length-reset", "cut-head", "cut-gzip"].map {
                    MadeUp($0 + suffix, holds: refused, breaks: taken)
                }
        } + [
            MadeUp("trailer", holds: whole, breaks: Evidence(requests: [.seen()], ending: .signalled(4)), word: .traps),
            MadeUp("trailer-ahc", holds: whole, breaks: refused),
            MadeUp("scheme-upper-case", holds: requested("none"), breaks: Evidence(requests: [.seen()], facts: [bad])),
            MadeUp("short-address", holds: requested("none"), breaks: Evidence(requests: [.seen()], facts: [bad])),
            MadeUp("ipv6-literal", "ipv6-error", "none", "-1002", and: ["host": "[::1]:80"]),
            MadeUp("redirect-authorization", holds: moved([:]), breaks: moved(["authorization": "…"])),
            MadeUp(
                "credential-storage",
                holds: Evidence(
                    requests: [.seen("/auth/basic", status: 401), .seen("/auth/basic")], facts: [Fact("status", "200")]),
                breaks: Evidence(requests: [.seen("/auth/basic", status: 401)]), word: .hangs),
            MadeUp("discretionary", holds: begun(atMilliseconds: 20), breaks: begun(atMilliseconds: 5_000)),
            MadeUp("progress-download-gzip", "delivered", "262144", "20000", requests: [.seen(bytes: 30_000)]),
        ]

    static let tls: [MadeUp] = [
        MadeUp(
            "server-trust",
            holds: Evidence(
                requests: [.seen(), .seen("/bytes/2KiB")],
                facts: [Fact("asked", "server-trust"), Fact("tls-error", "none")]),
            breaks: Evidence(requests: [.seen()], facts: [Fact("tls-error", "-1")]), word: .absent),
        MadeUp("untrusted-code", "tls-error", "-1202", "-1"),
        MadeUp(
            "exit-after-https",
            holds: Evidence(requests: [.seen(), .seen("/bytes/2KiB")], facts: [Fact("tls-error", "none")]),
            breaks: Evidence(
                requests: [.seen(), .seen("/bytes/2KiB")], facts: [Fact("tls-error", "none")], ending: .signalled(11)),
            word: .traps),
    ]

    private static let bad = Fact("error", "-1002")
    private static let whole = Evidence(
        requests: [.seen()], files: [SeenFile(name: "accepted", bytes: 3)], facts: [Fact("error", "none")])
    private static let refused = Evidence(requests: [.seen()], facts: [Fact("error", "-1005")])
    private static let taken = Evidence(
        requests: [.seen()], files: [SeenFile(name: "accepted", bytes: 2)], facts: [Fact("error", "none")])

    private static func requested(_ error: String) -> Evidence {
        Evidence(requests: [.seen(), .seen("/bytes/2KiB")], facts: [Fact("error", error)])
    }

    private static func moved(_ headers: [String: String]) -> Evidence {
        Evidence(requests: [
            .seen("/redirect/302", headers: ["authorization": "…"], status: 302), .seen(headers: headers),
        ])
    }

    private static func begun(atMilliseconds milliseconds: Int) -> Evidence {
        var request = RequestRecord.seen()
        request.beganNanoseconds = 1_000_000_000 + milliseconds * 1_000_000
        return Evidence(requests: [request], marks: [Reading("resumed", time: 1_000_000_000)])
    }

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
        Evidence(requests: times(50, moved) + times(count, .seen()), facts: times(count, Fact("error", "none")))
    }

    static let lostConnections = [
        MadeUp("get-kept-connection", holds: lost(2, whole: 2, "none"), breaks: lost(1, whole: 1, "-1005")),
        MadeUp("post-kept-connection", holds: lost(1, whole: 1, "-1005"), breaks: lost(2, whole: 1, "-1001")),
        MadeUp("post-new-session", holds: lost(1, whole: 1, "none"), breaks: lost(2, whole: 1, "-1001")),
    ]

    private static func lost(_ heads: Int, whole: Int, _ error: String) -> Evidence {
        Evidence(
            requests: [.seen()],
            facts: [
                Fact("kept-error", "none"), Fact("lost-error", error), Fact("heads", "\(heads)"),
                Fact("whole", "\(whole)"), Fact("other-error", "none"),
            ])
    }
}
