// SPDX-License-Identifier: Apache-2.0

import MemProbe
import Origin
import ProbeProtocol

extension BehaviourCatalog {
    /// Paused and interrupted transfers: received bytes are kept, and the rest of the right body is added.
    static let resume = [
        Behaviour(
            "suspend-resume-data", path: APIName.dataDelegate,
            promise: "A suspended and resumed transfer delivers each byte once.",
            documented: .apple(
                "URLSessionTask.suspend()", "foundation/urlsessiontask/suspend()",
                says: "tasks other than downloads must start over when resumed"),
            flaw: restarts(
                .hazard, "the delegate is told by a second didReceive response",
                workaround: .row("suspend-resume-data", "empty the buffer at each response")),
            observe: suspended),
        Behaviour(
            "suspend-resume-handler", path: APIName.data,
            promise: "A suspended and resumed transfer ends with the right body.", documented: .suspend,
            flaw: restarts(
                .broken, "the new bytes are appended to the old ones (TransferState.swift:178), and nothing tells it",
                workaround: .row("resume-by-range", "cancel, and ask for the rest")),
            observe: suspended),
        Behaviour(
            "suspend-resume-download", path: APIName.download,
            promise: "A suspended and resumed transfer ends with the right file.", documented: .suspend,
            flaw: restarts(
                .broken, "the new bytes are appended to the file (NativeProtocol.swift:145), and nothing tells it",
                workaround: .row("resume-by-range", "cancel, and ask for the rest")),
            observe: suspended),
        Behaviour(
            "resume-data", path: APIName.download,
            promise: "Cancelling gives resume data, and with it the download continues where it was.",
            documented: .apple(
                "cancel(byProducingResumeData:)", "foundation/urlsessiondownloadtask/cancel(byproducingresumedata:)"),
            flaw: Flaw(
                .absent,
                cause:
                    "a stub: URLSessionTask.swift:670 always gives nil, and the task that URLSession.swift:489 makes of "
                    + "resume data is invalid",
                upstream: [
                    .foundation(3907, .open), .foundation(1592, .merged, "the stub"),
                    .foundation(2477, .merged, "the invalid task"),
                ], workaround: .row("resume-by-range", "ask for the rest with Range and If-Range")),
            observe: continued),
        Behaviour(
            "resume-by-range", path: APIName.dataDelegate,
            promise:
                "By hand: with Range and If-Range of the caller's own only the missing part of a cut body is fetched.",
            documented: .rfc(9110, "14.2")
        ) { ranged($0, status: 206, seed: 0) },
        Behaviour(
            "resume-by-range-changed", path: APIName.dataDelegate,
            promise: "By hand: If-Range gets the whole new body where the old one has changed.",
            documented: .rfc(9110, "13.1.5")
        ) { ranged($0, status: 200, seed: 1) },
        Behaviour(
            "resume-by-range-unsupported", path: APIName.dataDelegate,
            promise: "By hand: a server without ranges sends the whole body again, and it arrives whole.",
            documented: .rfc(9110, "14.2")
        ) { ranged($0, status: 200, seed: 0) },
    ]

    private static let size = 8 << 20
    private static let suspendedSize = 16 << 20

    private static func restarts(_ word: Verdict, _ end: String, workaround: Workaround) -> Flaw {
        Flaw(
            word,
            cause:
                "NativeProtocol.swift:453: suspend() goes back to transferReady, from which resume() starts the request over; "
                + end,
            workaround: workaround)
    }

    private static func suspended(_ evidence: Evidence) -> Observation {
        let repeated = evidence.requests.dropFirst().count { $0.headers["range"] == nil }
        let bytes = evidence.file("body")?.bytes
        var detail =
            "\(bytes.map(String.init) ?? "no") bytes arrived of \(suspendedSize), error "
            + "\(evidence.fact("error") ?? "none"); \(ObservationText.count(repeated, "request")) more from byte 0"
        let calls = evidence.facts.count { $0.name == "response" }
        if calls > 0 {
            let emptied = Expected.matches(evidence.file("emptied"), bytes: suspendedSize)
            detail +=
                "; the delegate got \(ObservationText.count(calls, "response")), and a buffer that is emptied at each has "
                + (emptied ? "the right body" : "a wrong body")
        }
        if let backwards = evidence.fact("backwards") {
            detail += "; totalBytesWritten went back \(backwards) times"
        }
        return .decide(Expected.matches(evidence.file("body"), bytes: suspendedSize), detail)
    }

    private static func continued(_ evidence: Evidence) -> Observation {
        let data = evidence.fact("resume-data") ?? "never handed over"
        let ranges = evidence.requests.count { $0.headers["range"] != nil }
        let isContinued = evidence.requests.dropFirst().contains { $0.status == 206 }
        return .decide(
            isContinued && Expected.matches(evidence.file("body"), bytes: size),
            else: data == "nil" ? .absent : .broken,
            "resume data: \(data); \(ObservationText.count(evidence.requests.count, "request")), \(ranges) for a range")
    }

    /// Requires a second request for a range, answered with this status, and the right file at the end.
    private static func ranged(_ evidence: Evidence, status: Int, seed: UInt64) -> Observation {
        guard evidence.requests.first?.ending == .cut else { return .missing("first body that was cut") }
        guard evidence.requests.count > 1 else {
            return Observation(
                .broken, "\(ObservationText.count(evidence.requests.count, "request")), no second one for a range")
        }
        let second = evidence.requests[1]
        let asked = second.headers["range"] != nil && second.headers["if-range"] != nil
        let isRight = Expected.matches(evidence.file("body"), bytes: size, seed: seed)
        return .decide(
            asked && second.status == status && isRight && evidence.requests.count == 2,
            "\(ObservationText.count(evidence.requests.count, "request")); the second for "
                + "\(second.headers["range"] ?? "everything"), answered with \(second.status ?? 0) and "
                + "\(second.bytesSent.rawValue) bytes; the file is \(isRight ? "right" : "wrong")")
    }
}
