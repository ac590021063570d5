// SPDX-License-Identifier: Apache-2.0

import Behaviours
import Origin
import ProbeProtocol

extension MadeUp {
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
            requests: [RequestRecord](repeating: .seen(to: milliseconds), count: 3),
            marks: [Reading("after", time: 1_000_000_000, requests: 3)])
    }

    /// Three slow children that end so late, one that fails after 600 ms, and a mark after 1.6 s.
    private static func failed(to milliseconds: Int) -> Evidence {
        Evidence(
            requests: [RequestRecord](
                repeating: .seen("/bytes/8MiB", to: milliseconds, ending: .abandoned), count: 3)
                + [.seen("/faults/reset", from: 600, to: 610, ending: .cut)],
            marks: [Reading("after", time: 1_600_000_000, requests: 4)], facts: [Fact("error", "-1005")])
    }

    private static func cancelled(to milliseconds: Int) -> Evidence {
        Evidence(
            requests: [RequestRecord](
                repeating: .seen("/bytes/8MiB", to: milliseconds, ending: .abandoned), count: 5),
            marks: [Reading("after", time: 2_000_000_000, requests: 5)],
            facts: [Fact](repeating: Fact("error", "-999"), count: 5))
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
        Evidence(requests: [RequestRecord](repeating: .seen(), count: requests), facts: [Fact("entries", "2")])
    }

    private static func filled(growth: Int) -> Evidence {
        Evidence(
            requests: [RequestRecord](repeating: .seen("/bytes/40MiB", bytes: large), count: 3),
            marks: [
                Reading("before", anonymousBytes: 3 << 20, requests: 1),
                Reading("after", anonymousBytes: 3 << 20 + growth, requests: 4),
            ])
    }

    private static func returned(_ count: Int) -> Evidence {
        Evidence(
            requests: [RequestRecord](repeating: .seen(), count: 100), files: [.generated("body", bytes: size)],
            facts: [Fact("returned", "\(count)"), Fact("different", "1")])
    }

    private static func ended(_ count: Int) -> Evidence {
        Evidence(
            requests: [.seen()], marks: [Reading("after", requests: 1)],
            facts: [Fact](repeating: Fact("error", "none"), count: count))
    }
}
