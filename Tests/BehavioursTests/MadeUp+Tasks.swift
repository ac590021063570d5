// SPDX-License-Identifier: Apache-2.0

import Behaviours
import MemProbe
import OperatingSystem
import Origin
import ProbeProtocol

extension MadeUp {
    private static let redirected = [
        RequestRecord.seen("/faults/redirect/1", status: 302), RequestRecord.seen(),
    ]

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
            MadeUp(
                "cancel-data-at-once", holds: told(cancelled: 200, complete: 800),
                breaks: told(cancelled: 200, complete: 700)),
            MadeUp("cancel-download", holds: downloads(error: "-999"), breaks: downloads(error: "none")),
            MadeUp(
                "cancel-download-file", holds: Evidence(marks: [Reading("after", requests: 3)]),
                breaks: Evidence(marks: [
                    Reading("after", files: [SeenFile(name: "1.tmp", bytes: 1_000_000)], requests: 3)
                ])),
            MadeUp("suspended-timeout", holds: pause("waited", "none"), breaks: pause("ended", "-1001")),
            MadeUp("lost-connection", holds: lost("-1005"), breaks: lost("-1")),
            MadeUp("task-delegate", holds: done(Fact("called", "true")), breaks: done(Fact("called", "false"))),
            MadeUp(
                "metrics", holds: done(Fact("metrics", "told")), breaks: done(Fact("metrics", "none")), word: .absent),
            MadeUp("earliest-begin-date", holds: begun(after: 3010), breaks: begun(after: 10)),
            MadeUp("priority", holds: priorities("kept"), breaks: priorities("changed")),
        ]

    private static func told(cancelled: Int, complete: Int) -> Evidence {
        Evidence(
            requests: [.seen()], facts: [Fact("cancelled", "\(cancelled)"), Fact("complete", "\(complete)")])
    }

    private static func downloads(error: String) -> Evidence {
        Evidence(
            requests: [RequestRecord](repeating: .seen("/bytes/8MiB", to: 500, ending: .abandoned), count: 3),
            facts: [Fact](repeating: Fact("error", error), count: 3)
                + [Fact](repeating: Fact("file", "none"), count: 3))
    }

    private static func pause(_ pause: String, _ error: String) -> Evidence {
        Evidence(requests: [.seen()], facts: [Fact("while-suspended", pause), Fact("error", error)])
    }

    private static func lost(_ code: String) -> Evidence {
        Evidence(requests: [.seen()], facts: [Fact](repeating: Fact("lost", code), count: 20))
    }

    private static func done(_ fact: Fact) -> Evidence {
        Evidence(requests: [.seen()], facts: [fact])
    }

    private static func begun(after milliseconds: Int) -> Evidence {
        Evidence(
            requests: [.seen(from: 1000 + milliseconds, to: 1010 + milliseconds)],
            marks: [Reading("resumed", time: 1_000_000_000)])
    }

    private static func priorities(_ word: String) -> Evidence {
        Evidence(requests: [.seen(), .seen()], facts: [Fact](repeating: Fact("priority", word), count: 2))
    }
}
