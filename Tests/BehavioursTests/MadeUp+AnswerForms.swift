// SPDX-License-Identifier: Apache-2.0

import Behaviours
import MemProbe
import OperatingSystem
import Origin
import ProbeProtocol

extension MadeUp {
    static let answerForms: [MadeUp] =
        ["", "-ahc"].flatMap { suffix in
            ["no-reason", "bare-lf", "no-length"].map { MadeUp($0 + suffix, holds: whole, breaks: refused) }
                + ["no-length-reset", "cut-head", "cut-gzip"].map {
                    MadeUp($0 + suffix, holds: refused, breaks: taken)
                }
        } + [
            MadeUp(
                "trailer", holds: whole, breaks: Evidence(requests: [.seen()], ending: .signalled(4)), word: .traps),
            MadeUp("trailer-ahc", holds: whole, breaks: refused),
            MadeUp("scheme-upper-case", holds: requested("none"), breaks: Evidence(requests: [.seen()], facts: [bad])),
            MadeUp("short-address", holds: requested("none"), breaks: Evidence(requests: [.seen()], facts: [bad])),
            MadeUp("ipv6-literal", holds: overIPv6("[::1]:80", "none"), breaks: overIPv6("", "-1002")),
            MadeUp("redirect-authorization", holds: moved([:]), breaks: moved(["authorization": "…"])),
            MadeUp(
                "credential-storage",
                holds: Evidence(
                    requests: [.seen("/auth/basic", status: 401), .seen("/auth/basic")], facts: [Fact("status", "200")]),
                breaks: Evidence(requests: [.seen("/auth/basic", status: 401)]), word: .hangs),
            MadeUp("discretionary", holds: begun(atMilliseconds: 20), breaks: begun(atMilliseconds: 5_000)),
            MadeUp("progress-download-gzip", holds: written(262_144), breaks: written(20_000)),
        ]

    static let tls: [MadeUp] = [
        MadeUp(
            "server-trust",
            holds: Evidence(
                requests: [.seen(), .seen("/bytes/2KiB")],
                facts: [Fact("asked", "server-trust"), Fact("tls-error", "none")]),
            breaks: refusedOverTLS("-1"), word: .absent),
        MadeUp("untrusted-code", holds: refusedOverTLS("-1202"), breaks: refusedOverTLS("-1")),
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

    private static func overIPv6(_ host: String, _ error: String) -> Evidence {
        Evidence(requests: [.seen()], facts: [Fact("host", host), Fact("ipv6-error", error)])
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

    private static func written(_ bytes: Int) -> Evidence {
        Evidence(requests: [.seen(bytes: 30_000)], facts: [Fact("delivered", "\(bytes)")])
    }

    private static func refusedOverTLS(_ error: String) -> Evidence {
        Evidence(requests: [.seen()], facts: [Fact("tls-error", error)])
    }
}
