// SPDX-License-Identifier: Apache-2.0

import Behaviours
import Origin
import ProbeProtocol

extension MadeUp {
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

    /// What breaks has the right file, and got it by another answer than the promised one.
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
        queued(
            "connect-timeout-queued-ahc", error: "HTTPClientError.getConnectionFromPoolTimeout", isAbandoned: false),
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
            name, holds: Evidence(requests: first + second, facts: [Fact](repeating: told, count: 10)),
            breaks: Evidence(
                requests: first + (isAbandoned ? abandoned : []),
                facts: [Fact](repeating: told, count: 5) + [Fact](repeating: failed, count: 5)))
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
            MadeUp(
                "cancel-async-fast", holds: cancelled("-999", stayed: 2),
                breaks: cancelled("-1005", stayed: 2))
        ]

    private static func cancelled(_ error: String, stayed: Int) -> Evidence {
        Evidence(
            requests: (0..<100).map { .seen(connection: $0, to: stayed, ending: .abandoned) },
            marks: [Reading("after", time: 20_000_000_000)],
            facts: [Fact](repeating: Fact("error", error), count: 100))
    }
}
