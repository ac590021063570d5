// SPDX-License-Identifier: Apache-2.0

import Behaviours
import MemProbe
import OperatingSystem
import Origin
import ProbeProtocol

extension MadeUp {
    private static let size = 64 << 10

    static let publishers =
        [
            MadeUp("demand-starts", holds: started(0, 1, ["body"]), breaks: started(1, 1, ["body"])),
            MadeUp("future-begins", holds: started(1, 1, pair), breaks: started(0, 1, pair)),
            MadeUp("deferred-future", holds: started(0, 2, pair), breaks: started(1, 2, pair)),
            MadeUp("connect-starts", holds: started(0, 1, pair), breaks: started(1, 1, pair)),
            MadeUp("share-connect", holds: started(0, 1, pair), breaks: started(0, 2, pair)),
            MadeUp("subscription-kept", "kept", "gone", "alive", word: .hazard),
            MadeUp("subscription-let-go", "let-go", "gone", "alive", word: .hazard),
            MadeUp("multicast", holds: started(0, 1, pair), breaks: started(0, 2, pair)),
            MadeUp("subject-subscribe", holds: delivered(1, pair), breaks: delivered(1, ["first"])),
            MadeUp("published-assign", holds: delivered(1, ["body"]), breaks: delivered(1, [])),
            MadeUp("share-unlike", holds: unlike(requests: 1), breaks: unlike(requests: 2)),
            MadeUp("share-late", holds: late(bytes: 0, requests: 1), breaks: late(bytes: size, requests: 2)),
        ]
        + ["publisher-cancel", "publisher-cancel-download", "cancellable-dropped"].map { name in
            MadeUp(name, holds: cancelled(endAt: 40), breaks: cancelled(endAt: 4000))
        }

    private static let pair = ["first", "second"]

    private static func started(_ before: Int, _ requests: Int, _ files: [String]) -> Evidence {
        var evidence = delivered(requests, files)
        evidence.marks = [Reading("waiting", requests: before)]
        return evidence
    }

    private static func delivered(_ requests: Int, _ files: [String]) -> Evidence {
        Evidence(requests: times(requests, .seen()), files: files.map { .generated($0, bytes: size) })
    }

    private static func unlike(requests: Int) -> Evidence {
        var evidence = delivered(requests, ["first"])
        evidence.files.append(SeenFile(name: "count", bytes: 5))
        return evidence
    }

    private static func late(bytes: Int, requests: Int) -> Evidence {
        var evidence = delivered(requests, ["first"])
        evidence.files.append(SeenFile(name: "second", bytes: bytes))
        evidence.facts = [Fact("second", "ended")]
        return evidence
    }

    /// Twenty clients that leave so many milliseconds after the beginning, with a mark after 2 s.
    private static func cancelled(endAt milliseconds: Int) -> Evidence {
        Evidence(
            requests: times(20, .seen("/bytes/8MiB", to: milliseconds, ending: .abandoned)),
            marks: [Reading("after", time: 2_000_000_000, requests: 20)])
    }

    static let publisherFailures =
        [
            MadeUp("retry-reset", holds: resets(3), breaks: resets(1)),
            MadeUp("retry-post", holds: posts(3), breaks: posts(1)),
            MadeUp("catch-session", holds: caught(["first", "second"]), breaks: caught(["first", "first"])),
            MadeUp("decode-error", holds: decoded("DecodingError", bytes: 7), breaks: decoded("none", bytes: 0)),
            MadeUp("timeout-operator", holds: timedOut(after: 1000), breaks: timedOut(after: nil)),
            MadeUp("sign-in-again", holds: signedIn([401, 200]), breaks: signedIn([401]), word: .hangs),
            MadeUp("receive-on-dispatch-main", holds: onMain("on-queue", "true"), breaks: onMain("on-queue", "false")),
            MadeUp("publisher-values", holds: delivered(1, ["body"]), breaks: delivered(1, [])),
            MadeUp("receive-on-main", holds: onMain("on-queue", "true"), breaks: onMain("on-queue", "false")),
            MadeUp(
                "receive-on-main-thread", holds: onMain("main-thread", "true"), breaks: onMain("main-thread", "false")),
        ]
        + ["receive-on-run-loop", "main-run-loop"].map { name in
            MadeUp(
                name, "received", "true", "false", and: ["other-error": "none"], requests: [.seen(), .seen()],
                word: .hangs)
        }

    private static func resets(_ count: Int) -> Evidence {
        Evidence(requests: times(count, .seen("/faults/reset", ending: .cut)), facts: [Fact("error", "-1005")])
    }

    private static func posts(_ count: Int) -> Evidence {
        var request = RequestRecord.seen("/faults/status/500", status: 405)
        request.method = "POST"
        request.bytesReceived = ByteCount(5)
        return Evidence(requests: times(count, request))
    }

    private static func caught(_ sessions: [String]) -> Evidence {
        Evidence(
            requests: zip(sessions, [RequestRecord.Ending.cut, .complete]).map { name, ending in
                .seen(headers: ["x-session": name], ending: ending)
            }, files: [.generated("body", bytes: size)])
    }

    private static func decoded(_ error: String, bytes: Int) -> Evidence {
        Evidence(requests: [.seen()], files: [SeenFile(name: "body", bytes: bytes)], facts: [Fact("error", error)])
    }

    private static func timedOut(after milliseconds: Int?) -> Evidence {
        Evidence(
            requests: [.seen("/faults/silent", status: nil, to: milliseconds, ending: .abandoned)],
            marks: [Reading("after", time: 2_000_000_000, requests: 1)], facts: [Fact("error", "-1001")])
    }

    private static func onMain(_ fact: String, _ value: String) -> Evidence {
        var evidence = delivered(1, ["body"])
        evidence.facts = [Fact(fact, value)]
        return evidence
    }

    private static func signedIn(_ statuses: [Int]) -> Evidence {
        Evidence(
            requests: statuses.map { .seen("/auth/basic", status: $0) },
            facts: [Fact("other-error", "none")] + (statuses.last == 200 ? [Fact("delivered", "1024")] : []))
    }

    static let combine = [
        MadeUp(
            "share",
            holds: Evidence(
                requests: [.seen()], files: [.generated("first", bytes: size), .generated("second", bytes: size)]),
            breaks: Evidence(
                requests: [.seen(), .seen()],
                files: [.generated("first", bytes: size), .generated("second", bytes: size)])),
        MadeUp("retry", holds: failures(3), breaks: failures(1)),
        MadeUp(
            "catch",
            holds: Evidence(
                requests: [.seen("/faults/status/500", status: 500), .seen("/bytes/64KiB")],
                files: [.generated("body", bytes: size)]),
            breaks: failures(1)),
        MadeUp(
            "catch-fails", "error", "-1005", "-1011",
            requests: [.seen("/faults/status/500", status: 500), .seen("/faults/reset", ending: .cut)]),
        MadeUp(
            "replace-error",
            holds: Evidence(
                requests: [.seen("/faults/status/500", status: 500)], files: [SeenFile(name: "body", bytes: 7)]),
            breaks: Evidence(
                requests: [.seen("/faults/status/500", status: 500)], files: [SeenFile(name: "body", bytes: 0)],
                facts: [Fact("error", "-1011")])),
        MadeUp(
            "receive-on",
            holds: Evidence(
                requests: [.seen()], files: [.generated("body", bytes: size)], facts: [Fact("on-queue", "true")]),
            breaks: Evidence(
                requests: [.seen()], files: [.generated("body", bytes: size)], facts: [Fact("on-queue", "false")])),
        ordered("order-flat-map", right: arrived, wrong: joined), ordered("order-zip", right: joined, wrong: arrived),
        ordered("order-task-group", right: joined, wrong: arrived),
    ]

    private static func failures(_ count: Int) -> Evidence {
        Evidence(requests: times(count, .seen("/faults/status/500", status: 500)))
    }

    /// The hash of the three bodies in the order of their requests, as `sha256sum` gives it.
    private static let joined = "4359a74b8135f726c4dd6b6b5872cd1f3d7a75f917330effc9ed13e5343e90fe"

    /// The same of the three bodies in the order of their arrival: the last, the second, the first.
    private static let arrived = "a08d59746f6c60b08d20dc9105f70971f885860206c20cc4f704dd92ae86f8cd"

    private static func ordered(_ name: String, right: String, wrong: String) -> MadeUp {
        let requests = (1...3).map { seed in
            RequestRecord.seen(query: ["seed": "\(seed)"], connection: seed, to: 1000 - 300 * seed)
        }
        func evidence(_ hash: String) -> Evidence {
            Evidence(requests: requests, files: [SeenFile(name: "body", bytes: 3 * size, sha256: hash)])
        }
        return MadeUp(name, holds: evidence(right), breaks: evidence(wrong))
    }

    static let platform =
        [
            ("exists-data-async", "data"), ("exists-bytes-async", "bytes"), ("exists-stream-task", "streamTask"),
            ("exists-background", "background"), ("exists-waits-for-connectivity", "waitsForConnectivity"),
            ("exists-kvo", "observe"),
        ].map { name, symbol in
            MadeUp(
                name, holds: Evidence(),
                breaks: Evidence(ending: .exited(1), complaint: "value of this type has no member '\(symbol)'"),
                word: .absent)
        } + [
            MadeUp(
                "websocket",
                holds: Evidence(requests: [.seen(headers: ["upgrade": "websocket"], status: 101)]),
                breaks: Evidence(facts: [Fact("error", "-1002")]), word: .absent)
        ]
}
