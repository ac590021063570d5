// SPDX-License-Identifier: Apache-2.0

import Behaviours
import Origin
import ProbeProtocol

extension MadeUp {
    static let connections =
        ["connections-per-host", "connections-per-host-ahc"].map { name in
            MadeUp(name, holds: ten(atATime: 5), breaks: ten(atATime: 10))
        }
        + [("leaves-nothing-data", ["path", "query", "fragment", "user"]), ("leaves-nothing-ahc", ["path"])].map {
            name, forms in
            MadeUp(name, holds: rounds(leaving: 4, forms: forms), breaks: rounds(leaving: 155, forms: forms))
        } + [
            MadeUp("sessions-independent", holds: blocked(other: 400), breaks: blocked(other: 3040), word: .blocks),
            MadeUp("caches", holds: Evidence(requests: [.seen()]), breaks: Evidence(requests: times(5, .seen()))),
        ]

    private static func ten(atATime count: Int) -> Evidence {
        Evidence(
            requests: (0..<10).map { .seen(connection: $0 % count, from: $0 / count * 500, to: $0 / count * 500 + 500) }
        )
    }

    /// Rounds of a thousand requests for each form of URL, the first of them after 300.
    static func rounds(leaving bytes: Int, forms: [String]) -> Evidence {
        Evidence(
            marks: forms.enumerated().flatMap { place, form in
                (0...3).map { round in
                    let requests = place * 3300 + 300 + round * 1000
                    return Reading("\(form)-\(round)", anonymousBytes: requests * bytes, requests: requests)
                }
            })
    }

    /// One session that is blocked after a second, and the request of another one so many milliseconds later.
    private static func blocked(other delay: Int) -> Evidence {
        Evidence(
            requests: [.seen("/bytes/64MiB", to: 5000), .seen(from: 1000 + delay, to: 1010 + delay)],
            marks: [Reading("blocked", requests: 1)], facts: [Fact("begun", "1000000000")])
    }

    static let delivery =
        [
            MadeUp(
                "progress-data-count", holds: grown("count", "1000000", "2097152"), breaks: grown("count", "0", "0")),
            MadeUp(
                "progress-data-object", holds: grown("fraction", "0.5", "1.0"),
                breaks: grown("fraction", "0.0", "1.0")),
            MadeUp(
                "progress-download", "written", "1048576", "524288", and: ["calls": "64"],
                requests: [.seen(bytes: 1 << 20)]),
            MadeUp(
                "temporary-file", holds: Evidence(marks: [Reading("after", requests: 3)]),
                breaks: Evidence(marks: [
                    Reading("after", files: [SeenFile(name: "1.tmp", bytes: 262_144)], requests: 3)
                ])),
            MadeUp(
                "temporary-file-async",
                holds: Evidence(marks: [
                    Reading("after", files: (1...3).map { .generated("\($0).tmp", bytes: 256 << 10) }, requests: 3)
                ]), breaks: Evidence(marks: [Reading("after", requests: 3)])),
            MadeUp(
                "delegate-queue", "end-on-queue", "true", "false",
                and: ["data-on-queue": "true", "handler-on-queue": "true"], requests: [.seen(), .seen()]),
            MadeUp("delegate-queue-default", "at-once", "1", "2", requests: [.seen(), .seen()]),
            MadeUp("copy-item", holds: copied(moving: 8), breaks: copied(moving: 1 << 20)),
            MadeUp(
                "file-truncated-ahc",
                holds: Evidence(requests: [.seen(bytes: 64 << 10)], files: [.generated("body", bytes: 64 << 10)]),
                breaks: Evidence(
                    requests: [.seen(bytes: 64 << 10)], files: [SeenFile(name: "body", bytes: 100_000, sha256: "0")])),
            MadeUp("short-body-code", holds: cut("-1005"), breaks: cut("-1")),
        ]
        + ["short-body", "short-body-download", "short-body-ahc"].map { name in
            var accepted = cut("none")
            accepted.files = [SeenFile(name: "accepted", bytes: 16 << 10)]
            return MadeUp(name, holds: cut("-1005"), breaks: accepted)
        }

    private static func cut(_ error: String) -> Evidence {
        Evidence(requests: [.seen("/faults/short", bytes: 16 << 10, ending: .cut)], facts: [Fact("error", error)])
    }

    private static func grown(_ what: String, _ midway: String, _ final: String) -> Evidence {
        Evidence(
            requests: [.seen(bytes: 2 << 20)], facts: [Fact("midway-\(what)", midway), Fact("final-\(what)", final)])
    }

    private static func copied(moving: Int) -> Evidence {
        Evidence(
            requests: [.seen()], files: ["moved", "copied"].map { .generated($0, bytes: 1 << 20) },
            facts: [Fact("moving", "\(moving)"), Fact("copying", "\(1 << 20)")])
    }

    static let delegates = [
        MadeUp(
            "disposition",
            holds: Evidence(
                requests: [.seen(bytes: 65_536, ending: .abandoned)],
                facts: [Fact("asked", "cancel"), Fact("delivered", "0")]),
            breaks: Evidence(
                requests: [.seen(bytes: 4 << 20)],
                facts: [Fact("asked", "cancel"), Fact("delivered", "4194304"), Fact("error", "-999")])),
        MadeUp(
            "download-async-delegate",
            holds: Evidence(requests: [.seen(bytes: 256 << 10)], files: [.generated("body", bytes: 256 << 10)]),
            breaks: Evidence(
                requests: [.seen(bytes: 256 << 10)], files: [SeenFile(name: "body", bytes: 512 << 10, sha256: "0")])),
    ]

    static let http =
        ["redirects", "redirects-ahc"].map { name in
            let redirects = times(5, RequestRecord.seen("/faults/redirect/5", status: 302, bytes: 0))
            return MadeUp(
                name, holds: Evidence(requests: redirects + [.seen()], files: [.generated("accepted", bytes: 1024)]),
                breaks: Evidence(requests: Array(redirects.prefix(1)), files: [SeenFile(name: "accepted", bytes: 0)]))
        }
        + [
            MadeUp("redirect-loop", holds: loop(21), breaks: loop(500)),
            MadeUp("redirect-loop-ahc", holds: loop(6), breaks: loop(7)),
            MadeUp(
                "unauthorized",
                holds: Evidence(requests: [.seen("/faults/status/401", status: 401)], facts: [Fact("status", "401")]),
                breaks: Evidence(
                    requests: [.seen("/faults/status/401", status: 401), .seen()],
                    marks: [Reading("after-5-s", requests: 1)],
                    facts: [Fact("other-error", "none")]), word: .hangs),
            MadeUp(
                "unauthorized-ahc", holds: Evidence(requests: [.seen(status: 401)], facts: [Fact("status", "401")]),
                breaks: Evidence(requests: [.seen(status: 401)], facts: [Fact("error", "-1012")])),
        ]
        + ["tight-header", "tight-header-ahc"].map { name in
            MadeUp(
                name, holds: Evidence(requests: [.seen()], files: [SeenFile(name: "accepted", bytes: 3)]),
                breaks: Evidence(requests: [.seen()], facts: [Fact("error", "-1")]))
        } + [
            MadeUp("identity-encoding", holds: encoding("identity"), breaks: encoding("gzip, br")),
            MadeUp(
                "encoding-unasked", holds: decoded("deflate, gzip", sent: 20_000), breaks: decoded(nil, sent: 65_536)),
        ]

    private static func loop(_ count: Int) -> Evidence {
        Evidence(requests: times(count, .seen("/faults/redirect-loop", status: 302)), facts: [Fact("error", "-1007")])
    }

    private static func encoding(_ value: String?) -> Evidence {
        Evidence(requests: [.seen(headers: value.map { ["accept-encoding": $0] } ?? [:])])
    }

    private static let text = "4db5b8a20e26de50e19246511751b8aba59b396013162976d0e21e75e7f67efe"

    private static func decoded(_ value: String?, sent: Int) -> Evidence {
        Evidence(
            requests: [.seen(headers: value.map { ["accept-encoding": $0] } ?? [:], bytes: sent)],
            files: [SeenFile(name: "accepted", bytes: 64 << 10, sha256: text)])
    }

    private static let mebibyte = 1 << 20

    static let backPressure =
        ["back-pressure-data", "back-pressure-blocking-queue", "back-pressure-ahc"].map { name in
            MadeUp(
                name,
                holds: Evidence(marks: [Reading("blocked", requests: 1, bytesSent: 5 * mebibyte)]),
                breaks: Evidence(marks: [Reading("blocked", requests: 1, bytesSent: 64 * mebibyte)]))
        } + [
            MadeUp(
                "back-pressure-download",
                holds: Evidence(marks: [
                    Reading("before", anonymousBytes: 3 * mebibyte),
                    Reading("blocked", anonymousBytes: 6 * mebibyte, requests: 1, bytesSent: 64 * mebibyte),
                ]),
                breaks: Evidence(marks: [
                    Reading("before", anonymousBytes: 3 * mebibyte),
                    Reading("blocked", anonymousBytes: 70 * mebibyte, requests: 1, bytesSent: 64 * mebibyte),
                ]))
        ]

    static let resume =
        ["suspend-resume-data", "suspend-resume-handler", "suspend-resume-download"].map { name in
            MadeUp(
                name,
                holds: Evidence(
                    requests: [.seen(bytes: 16 * mebibyte)], files: [.generated("body", bytes: 16 * mebibyte)]),
                breaks: Evidence(
                    requests: [.seen(ending: .abandoned), .seen()],
                    files: [SeenFile(name: "body", bytes: 21 * mebibyte, sha256: "0")]))
        } + [
            MadeUp(
                "resume-data",
                holds: Evidence(
                    requests: [.seen(ending: .abandoned), .seen(headers: ["range": "bytes=1-"], status: 206)],
                    files: [.generated("body", bytes: 8 * mebibyte)], facts: [Fact("resume-data", "900 bytes")]),
                breaks: Evidence(
                    requests: [.seen(ending: .abandoned)], facts: [Fact("resume-data", "nil")]), word: .absent),
            ranged("resume-by-range", status: 206, seed: 0, other: 200),
            ranged("resume-by-range-changed", status: 200, seed: 1, other: 206),
            ranged("resume-by-range-unsupported", status: 200, seed: 0, other: 206),
        ]

    /// Deviations that have the right file but got it by another response than the promised one.
    private static func ranged(_ name: String, status: Int, seed: UInt64, other: Int) -> MadeUp {
        let file = SeenFile.generated("body", bytes: 8 * mebibyte, seed: seed)
        let headers = ["range": "bytes=3145728-", "if-range": "\"tag\""]
        return MadeUp(
            name,
            holds: Evidence(requests: [.seen(ending: .cut), .seen(headers: headers, status: status)], files: [file]),
            breaks: Evidence(requests: [.seen(ending: .cut), .seen(headers: headers, status: other)], files: [file]))
    }

    private static func silent(_ stays: [Int: Int]) -> Evidence {
        Evidence(
            requests: stays.map { asked, stayed in
                .seen(
                    "/faults/silent", query: ["after": "\(asked)"], status: nil, to: stayed, bytes: 0,
                    ending: .abandoned)
            })
    }

    static let timeouts = [
        MadeUp(
            "request-timeout", holds: silent([1000: 1010, 2000: 2020]), breaks: silent([1000: 1010, 2000: 20_000])),
        MadeUp(
            "request-timeout-granularity", holds: silent([500: 510, 1500: 1520]),
            breaks: silent([500: 510, 1500: 1000])),
        MadeUp(
            "request-timeout-ahc", holds: silent([500: 510, 1000: 1010, 1500: 1520, 2000: 2020]),
            breaks: silent([500: 1000, 1000: 1010, 1500: 1520, 2000: 2020])),
        resource("resource-timeout"), resource("resource-timeout-ahc"),
        queued("request-timeout-queued", error: "-1001", isAbandoned: true),
        queued("connect-timeout-queued-ahc", error: "HTTPClientError.getConnectionFromPoolTimeout", isAbandoned: false),
    ]

    /// Ten requests over five connections, of which those that waited fail: in their answers, or without asking.
    private static func queued(_ name: String, error: String, isAbandoned: Bool) -> MadeUp {
        let first = (1...5).map { RequestRecord.seen(connection: $0, to: 2500) }
        let second = (1...5).map { RequestRecord.seen(connection: $0, from: 2500, to: 5000) }
        let abandoned = (1...5).map {
            RequestRecord.seen(status: nil, connection: $0, from: 2500, to: 4000, bytes: 0, ending: .abandoned)
        }
        let (told, failed) = (Fact("error", "none"), Fact("error", error))
        return MadeUp(
            name, holds: Evidence(requests: first + second, facts: times(10, told)),
            breaks: Evidence(
                requests: first + (isAbandoned ? abandoned : []),
                facts: times(5, told) + times(5, failed)))
    }

    private static func resource(_ name: String) -> MadeUp {
        let mark = Reading("after-5-s", time: 5_000_000_000)
        return MadeUp(
            name, holds: Evidence(requests: [.seen(to: 2050, ending: .abandoned)], marks: [mark]),
            breaks: Evidence(requests: [.seen(to: 5100, ending: .abandoned)], marks: [mark]))
    }

    static let cancel =
        [("cancel-data", "-999"), ("cancel-async-slow", "-999"), ("cancel-ahc", "CancellationError")].map {
            name, error in
            MadeUp(name, holds: cancelled(error, stayed: 60), breaks: cancelled(error, stayed: 8000))
        } + [
            MadeUp("cancel-async-fast", holds: cancelled("-999", stayed: 2), breaks: cancelled("-1005", stayed: 2)),
            MadeUp("cancel-download-async", holds: cancelled("-999", stayed: 2), breaks: cancelled("-1", stayed: 2)),
            MadeUp("cancel-delegate", holds: ended(2), breaks: ended(1)),
        ]

    private static func ended(_ told: Int) -> Evidence {
        let error = Fact("error", "-999")
        return Evidence(requests: [.seen(), .seen()], facts: times(told, error))
    }

    private static func cancelled(_ error: String, stayed: Int) -> Evidence {
        Evidence(
            requests: (0..<100).map { .seen(connection: $0, to: stayed, ending: .abandoned) },
            marks: [Reading("after", time: 20_000_000_000)],
            facts: times(100, Fact("error", error)))
    }
}
