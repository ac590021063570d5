// SPDX-License-Identifier: Apache-2.0

import Behaviours
import MemProbe
import OperatingSystem
import Origin
import ProbeProtocol

extension MadeUp {
    private static let cookie = ["cookie": "…"]
    private static let control = RequestRecord.seen()

    static let configurations: [MadeUp] =
        ["request-timeout-zero", "resource-timeout-zero"].map { name in
            MadeUp(
                name,
                holds: Evidence(requests: [control, .seen("/bytes/2KiB", to: 1010)], facts: [Fact("error", "none")]),
                breaks: Evidence(
                    requests: [control, .seen("/bytes/2KiB", to: 1, ending: .abandoned)],
                    facts: [Fact("error", "none"), Fact("error", "-1001")]))
        }
        + ["configuration-copied", "configuration-shown"].map { name in
            MadeUp(
                name, holds: Evidence(requests: [.seen(headers: ["x-header": "before"])]),
                breaks: Evidence(requests: [.seen(headers: ["x-header": "after"])]))
        }
        + ["cookies-kept-expires", "cookies-kept-max-age"].map { name in
            MadeUp(name, holds: cookies(own: true, other: true), breaks: cookies(own: true, other: false))
        } + [
            MadeUp(
                "cookies-ephemeral", holds: cookies(own: true, other: false), breaks: cookies(own: true, other: true)),
            MadeUp(
                "additional-headers",
                holds: Evidence(
                    requests: [RequestRecord](repeating: .seen(headers: ["x-everywhere": "yes"]), count: 4)),
                breaks: Evidence(
                    requests: [RequestRecord](repeating: .seen(headers: ["x-everywhere": "yes"]), count: 3) + [control]
                )),
            MadeUp(
                "proxy-dictionary",
                holds: Evidence(
                    requests: [control, .seen("http://proxied.invalid/bytes/2KiB")], facts: [Fact("error", "none")]),
                breaks: Evidence(requests: [control], facts: [Fact("error", "-1003")]), word: .absent),
            MadeUp(
                "caches-ephemeral", holds: Evidence(requests: [.seen("/bytes/64KiB")]),
                breaks: Evidence(requests: [RequestRecord](repeating: .seen("/bytes/64KiB"), count: 5))),
        ]

    private static func cookies(own: Bool, other: Bool) -> Evidence {
        Evidence(requests: [
            .seen(headers: own ? cookie : [:]), .seen("/bytes/2KiB", headers: other ? cookie : [:]),
        ])
    }

    static let sessions: [MadeUp] =
        ["session-per-call", "session-per-call-finished"].map { name in
            MadeUp(name, holds: hundredSessions(leaving: 1000), breaks: hundredSessions(leaving: 46_000))
        } + [
            MadeUp(
                "session-all-tasks", holds: threeTasks(Fact("all", "3"), Fact("all-after", "0")),
                breaks: threeTasks(Fact("all", "3"), Fact("all-after", "1"))),
            MadeUp(
                "session-tasks-by-kind", holds: threeTasks(Fact("by-kind", "1 1 1")),
                breaks: threeTasks(Fact("by-kind", "2 0 1"))),
            MadeUp("thirty-requests", holds: thirty(answered: 30), breaks: thirty(answered: 29)),
        ]

    private static func hundredSessions(leaving bytes: Int) -> Evidence {
        Evidence(marks: [
            Reading("first", anonymousBytes: 4_000_000, requests: 100),
            Reading("second", anonymousBytes: 4_000_000 + 100 * bytes, requests: 200),
        ])
    }

    private static func threeTasks(_ facts: Fact...) -> Evidence {
        Evidence(requests: [.seen(), .seen("/bytes/2KiB"), .seen("/sink")], facts: facts)
    }

    private static func thirty(answered count: Int) -> Evidence {
        let rest = 30 - count
        return Evidence(
            requests: [RequestRecord](repeating: .seen(), count: count)
                + [RequestRecord](repeating: .seen(ending: .abandoned), count: rest),
            facts: [Fact](repeating: Fact("error", "none"), count: count)
                + [Fact](repeating: Fact("error", "-1001"), count: rest))
    }

    static let lengths: [MadeUp] = [
        length("expected-length-length", told: "262144", wrong: "-1"),
        length("expected-length-gzip", told: "-1", wrong: "102631", bytes: 102_631),
        length("expected-length-chunked", told: "-1", wrong: "262144"),
        length("expected-size-length", told: "262144", wrong: "-1"),
        length("expected-size-gzip", told: "-1", wrong: "102631", bytes: 102_631),
        length("expected-size-chunked", told: "-1", wrong: "0"),
        MadeUp(
            "upload-progress", holds: uploaded(calls: "16", sent: "1048576"),
            breaks: uploaded(calls: "1", sent: "65536")),
        MadeUp(
            "body-stream", holds: Evidence(requests: [sunk(["transfer-encoding": "chunked"], bytes: 64 << 10)]),
            breaks: Evidence(
                requests: [sunk(["transfer-encoding": "chunked", "content-length": "65536"], bytes: 64 << 10)])),
        MadeUp(
            "body-stream-length", holds: Evidence(requests: [control], facts: [Fact("lengths", "content-length")]),
            breaks: Evidence(
                requests: [control], facts: [Fact("lengths", "content-length and transfer-encoding")])),
    ]

    private static func length(_ name: String, told: String, wrong: String, bytes: Int = 256 << 10) -> MadeUp {
        func evidence(_ expected: String) -> Evidence {
            Evidence(
                requests: [.seen("/text/256KiB", bytes: bytes)],
                facts: [Fact("expected", expected), Fact("delivered", "262144"), Fact("error", "none")])
        }
        return MadeUp(name, holds: evidence(told), breaks: evidence(wrong))
    }

    private static func sunk(_ headers: [String: String], bytes: Int) -> RequestRecord {
        var record = RequestRecord.seen("/sink", headers: headers)
        record.bytesReceived = ByteCount(bytes)
        return record
    }

    private static func uploaded(calls: String, sent: String) -> Evidence {
        Evidence(
            requests: [sunk(["content-length": "1048576"], bytes: 1 << 20)],
            facts: [Fact("calls", calls), Fact("sent", sent), Fact("expected", "1048576")])
    }

    static let customProtocols: [MadeUp] = [
        byHand("custom-protocol-data", breaks: Evidence(requests: [control], facts: [Fact("delivered", "0")])),
        byHand("custom-protocol-download", breaks: Evidence(requests: [control], facts: [Fact("delivered", "0")])),
        byHand(
            "custom-protocol-download-delegate", breaks: Evidence(requests: [control], ending: .signalled(4)),
            word: .traps),
    ]

    private static func byHand(_ name: String, breaks: Evidence, word: Verdict = .broken) -> MadeUp {
        let facts = [Fact("delivered", "7"), Fact("error", "none")]
        return MadeUp(name, holds: Evidence(requests: [control], facts: facts), breaks: breaks, word: word)
    }

    static let clientDefaults: [MadeUp] =
        ["get-limit-ahc", "accumulator-limit-ahc"].map { name in
            MadeUp(
                name,
                holds: Evidence(
                    requests: [.seen("/bytes/64MiB", bytes: 4 << 20, ending: .abandoned)],
                    facts: [Fact("error", "ResponseTooBigError")]),
                breaks: Evidence(
                    requests: [.seen("/bytes/64MiB", bytes: 64 << 20)], facts: [Fact("delivered", "67108864")]))
        } + [
            MadeUp(
                "redirects-default-ahc",
                holds: Evidence(
                    requests: [RequestRecord](repeating: .seen("/faults/redirect", status: 302), count: 3) + [.seen()],
                    facts: [Fact("delivered", "1024")]),
                breaks: Evidence(
                    requests: [.seen("/faults/redirect/3", status: 302)], facts: [Fact("delivered", "0")]))
        ]
}
