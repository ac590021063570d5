// SPDX-License-Identifier: Apache-2.0

import Behaviours
import MemProbe
import OperatingSystem
import Origin
import ProbeProtocol

extension MadeUp {
    private static let size = 64 << 10

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
        Evidence(requests: [RequestRecord](repeating: .seen("/faults/status/500", status: 500), count: count))
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
