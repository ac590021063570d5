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
        + proxyVariable
        + ["cookies-kept-expires", "cookies-kept-max-age"].map { name in
            MadeUp(name, holds: cookies(own: true, other: true), breaks: cookies(own: true, other: false))
        } + [
            MadeUp(
                "cookies-ephemeral", holds: cookies(own: true, other: false), breaks: cookies(own: true, other: true)),
            MadeUp(
                "additional-headers",
                holds: Evidence(requests: times(4, .seen(headers: ["x-everywhere": "yes"]))),
                breaks: Evidence(requests: times(3, .seen(headers: ["x-everywhere": "yes"])) + [control])),
            MadeUp(
                "proxy-dictionary",
                holds: Evidence(
                    requests: [control, .seen("http://proxied.invalid/bytes/2KiB")], facts: [Fact("error", "none")]),
                breaks: Evidence(requests: [control], facts: [Fact("error", "-1003")]), word: .absent),
            MadeUp(
                "caches-ephemeral", holds: Evidence(requests: [.seen("/bytes/64KiB")]),
                breaks: Evidence(requests: times(5, .seen("/bytes/64KiB")))),
        ]

    private static let proxyVariable = {
        let proxied = Evidence(requests: [control, .seen("http://proxied.invalid/bytes/2KiB")])
        let direct = Evidence(requests: [control])
        return ["", "-curl"].map { MadeUp("proxy-variable" + $0, holds: proxied, breaks: direct) }
            + [MadeUp("proxy-variable-ahc", holds: direct, breaks: proxied)]
    }()

    private static func cookies(own: Bool, other: Bool) -> Evidence {
        Evidence(requests: [.seen(headers: own ? cookie : [:]), .seen("/bytes/2KiB", headers: other ? cookie : [:])])
    }

    static let sessions: [MadeUp] =
        ["session-per-call", "session-per-call-finished"].map { name in
            MadeUp(name, holds: hundredSessions(leaving: 1000), breaks: hundredSessions(leaving: 46_000))
        } + [
            MadeUp("session-all-tasks", "all-after", "0", "1", and: ["all": "3"], requests: threeTasks),
            MadeUp("session-tasks-by-kind", "by-kind", "1 1 1", "2 0 1", requests: threeTasks),
            MadeUp("thirty-requests", holds: thirty(answered: 30), breaks: thirty(answered: 29)),
        ]

    private static func hundredSessions(leaving bytes: Int) -> Evidence {
        Evidence(marks: [
            Reading("first", anonymousBytes: 4_000_000, requests: 100),
            Reading("second", anonymousBytes: 4_000_000 + 100 * bytes, requests: 200),
        ])
    }

    private static let threeTasks: [RequestRecord] = [.seen(), .seen("/bytes/2KiB"), .seen("/sink")]

    private static func thirty(answered count: Int) -> Evidence {
        let rest = 30 - count
        return Evidence(
            requests: times(count, .seen()) + times(rest, .seen(ending: .abandoned)),
            facts: times(count, Fact("error", "none")) + times(rest, Fact("error", "-1001")))
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
        MadeUp("body-stream-length", "lengths", "content-length", "content-length and transfer-encoding"),
    ]

    private static func length(_ name: String, told: String, wrong: String, bytes: Int = 256 << 10) -> MadeUp {
        MadeUp(
            name, "expected", told, wrong, and: ["delivered": "262144", "error": "none"],
            requests: [.seen("/text/256KiB", bytes: bytes)])
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
                    requests: times(3, .seen("/faults/redirect", status: 302)) + [.seen()],
                    facts: [Fact("delivered", "1024")]),
                breaks: Evidence(requests: [.seen("/faults/redirect/3", status: 302)], facts: [Fact("delivered", "0")]))
        ]

    private static let size = 64 << 10
    private static let large = 40 << 20

    static let taskTrees =
        ["group-starts", "async-let-starts"].map { name in
            MadeUp(name, holds: unasked(to: 10), breaks: unasked(to: 1500))
        }
        + ["group-first-error", "discarding-group-error"].map { name in
            MadeUp(name, holds: failed(to: 700), breaks: failed(to: 8000))
        } + [
            MadeUp("group-unread-error", holds: failed(to: 1900), breaks: failed(to: 700)),
            MadeUp("parent-cancelled", holds: cancelled(to: 1000), breaks: cancelled(to: 8000)),
            MadeUp("unstructured-task", holds: unstructured(.complete), breaks: unstructured(.abandoned)),
            MadeUp("group-of-five", holds: ten(sha256: inOrder), breaks: ten(sha256: "0")),
            MadeUp("dictionary-by-url", holds: dictionary(requests: 3), breaks: dictionary(requests: 2)),
            MadeUp("group-keeps-results", holds: filled(growth: 3 * large), breaks: filled(growth: large)),
            MadeUp("discarding-group", holds: filled(growth: 1 << 20), breaks: filled(growth: 3 * large)),
            MadeUp("continuation-data", holds: returned(100), breaks: returned(99)),
            MadeUp("cancel-continuation-fast", holds: ended(100), breaks: ended(99)),
        ]

    private static func unasked(to milliseconds: Int) -> Evidence {
        Evidence(
            requests: times(3, .seen(to: milliseconds)),
            marks: [Reading("after", time: 1_000_000_000, requests: 3)])
    }

    /// Three slow children that end so late, one that fails after 600 ms, and a mark after 1.6 s.
    private static func failed(to milliseconds: Int) -> Evidence {
        Evidence(
            requests: times(3, .seen("/bytes/8MiB", to: milliseconds, ending: .abandoned))
                + [.seen("/faults/reset", from: 600, to: 610, ending: .cut)],
            marks: [Reading("after", time: 1_600_000_000, requests: 4)], facts: [Fact("error", "-1005")])
    }

    private static func cancelled(to milliseconds: Int) -> Evidence {
        Evidence(
            requests: times(5, .seen("/bytes/8MiB", to: milliseconds, ending: .abandoned)),
            marks: [Reading("after", time: 2_000_000_000, requests: 5)],
            facts: times(5, Fact("error", "-999")))
    }

    private static func unstructured(_ ending: RequestRecord.Ending) -> Evidence {
        Evidence(requests: [.seen(ending: ending)], files: [.generated("body", bytes: size)])
    }

    /// The hash of ten bodies of 64 KiB with the seeds 1 to 10, as `sha256sum` gives it.
    private static let inOrder = "e332375b6cbf812ba1332817954a7f01e9ffab56921cf5c7789caf45ce387cda"

    private static func ten(sha256: String) -> Evidence {
        Evidence(
            requests: (0..<10).map { .seen(connection: $0 % 5, from: $0 / 5 * 500, to: $0 / 5 * 500 + 500) },
            files: [SeenFile(name: "body", bytes: 10 * size, sha256: sha256)])
    }

    private static func dictionary(requests: Int) -> Evidence {
        Evidence(requests: times(requests, .seen()), facts: [Fact("entries", "2")])
    }

    private static func filled(growth: Int) -> Evidence {
        Evidence(
            requests: times(3, .seen("/bytes/40MiB", bytes: large)),
            marks: [
                Reading("before", anonymousBytes: 3 << 20, requests: 1),
                Reading("after", anonymousBytes: 3 << 20 + growth, requests: 4),
            ])
    }

    private static func returned(_ count: Int) -> Evidence {
        Evidence(
            requests: times(100, .seen()), files: [.generated("body", bytes: size)],
            facts: [Fact("returned", "\(count)"), Fact("different", "1")])
    }

    private static func ended(_ count: Int) -> Evidence {
        Evidence(
            requests: [.seen()], marks: [Reading("after", requests: 1)],
            facts: times(count, Fact("error", "none")))
    }

    private static let redirected = [RequestRecord.seen("/faults/redirect/1", status: 302), RequestRecord.seen()]

    static let urlTasks: [MadeUp] =
        ["task-delegate-redirect", "task-delegate-async"].map { name in
            MadeUp(
                name, holds: Evidence(requests: redirected, facts: [Fact("asked", "redirect")]),
                breaks: Evidence(requests: redirected))
        }
        + ["cancel-data-with-cache", "cancel-data-shared"].map { name in
            MadeUp(
                name, holds: told(cancelled: 200, complete: 800),
                breaks: Evidence(requests: [.seen()], ending: .signalled(4)), word: .traps)
        } + [
            MadeUp("cancel-data-at-once", "complete", "800", "700", and: ["cancelled": "200"]),
            MadeUp("cancel-download", holds: downloads(error: "-999"), breaks: downloads(error: "none")),
            MadeUp(
                "cancel-download-file", holds: Evidence(marks: [Reading("after", requests: 3)]),
                breaks: Evidence(marks: [
                    Reading("after", files: [SeenFile(name: "1.tmp", bytes: 1_000_000)], requests: 3)
                ])),
            MadeUp("suspended-timeout", holds: pause("waited", "none"), breaks: pause("ended", "-1001")),
            MadeUp("lost-connection", holds: lost("-1005"), breaks: lost("-1")),
            MadeUp("task-delegate", "called", "true", "false"),
            MadeUp("metrics", "metrics", "told", "none", word: .absent),
            MadeUp("earliest-begin-date", holds: begun(after: 3010), breaks: begun(after: 10)),
            MadeUp("priority", holds: priorities("kept"), breaks: priorities("changed")),
        ]

    private static func told(cancelled: Int, complete: Int) -> Evidence {
        Evidence(requests: [.seen()], facts: [Fact("cancelled", "\(cancelled)"), Fact("complete", "\(complete)")])
    }

    private static func downloads(error: String) -> Evidence {
        Evidence(
            requests: times(3, .seen("/bytes/8MiB", to: 500, ending: .abandoned)),
            facts: times(3, Fact("error", error)) + times(3, Fact("file", "none")))
    }

    private static func pause(_ pause: String, _ error: String) -> Evidence {
        Evidence(requests: [.seen()], facts: [Fact("while-suspended", pause), Fact("error", error)])
    }

    private static func lost(_ code: String) -> Evidence {
        Evidence(requests: [.seen()], facts: times(20, Fact("lost", code)))
    }

    private static func begun(after milliseconds: Int) -> Evidence {
        Evidence(
            requests: [.seen(from: 1000 + milliseconds, to: 1010 + milliseconds)],
            marks: [Reading("resumed", time: 1_000_000_000)])
    }

    private static func priorities(_ word: String) -> Evidence {
        Evidence(requests: [.seen(), .seen()], facts: times(2, Fact("priority", word)))
    }
}
