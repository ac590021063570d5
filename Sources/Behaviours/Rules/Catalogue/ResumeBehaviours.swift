// SPDX-License-Identifier: Apache-2.0

import MemProbe
import Origin
import ProbeProtocol

extension BehaviourCatalog {
    /// Paused and interrupted transfers: received bytes are kept, and the rest of the right body is added.
    static let resume = [
        Behaviour(
            "suspend-resume-data", path: Path.dataDelegate,
            promise: "A suspended and resumed transfer delivers each byte once.", flaw: restarts, observe: suspended),
        Behaviour(
            "suspend-resume-handler", path: Path.data,
            promise: "A suspended and resumed transfer ends with the right body.", flaw: restarts, observe: suspended),
        Behaviour(
            "suspend-resume-download", path: Path.download,
            promise: "A suspended and resumed transfer ends with the right file.", flaw: restarts, observe: suspended),
        Behaviour(
            "resume-data", path: Path.download,
            promise: "Cancelling gives resume data, and with it the download continues where it was.",
            flaw: Flaw(
                .absent,
                cause:
                    "a stub: URLSessionTask.swift:670 always gives nil, and the task that URLSession.swift:489 makes of "
                    + "resume data is invalid",
                upstream: "swift-corelibs-foundation#3907, open; pull requests #1592, #2477"),
            observe: continued),
        Behaviour(
            "resume-by-range", path: Path.dataDelegate,
            promise:
                "By hand: with Range and If-Range of the caller's own only the missing part of a cut body is fetched."
        ) { ranged($0, status: 206, seed: 0) },
        Behaviour(
            "resume-by-range-changed", path: Path.dataDelegate,
            promise: "By hand: If-Range gets the whole new body where the old one has changed."
        ) { ranged($0, status: 200, seed: 1) },
        Behaviour(
            "resume-by-range-unsupported", path: Path.dataDelegate,
            promise: "By hand: a server without ranges sends the whole body again, and it arrives whole."
        ) { ranged($0, status: 200, seed: 0) },
    ]

    private static let size = 8 << 20
    private static let suspendedSize = 16 << 20

    /// The flaw that all three styles of a task share.
    private static let restarts = Flaw(
        .broken,
        cause: "NativeProtocol.swift:453: resume() adds the handle again and the request starts over; what arrives is "
            + "appended (:145). A session delegate is told by a second didReceive response; handlers and downloads by nothing"
    )

    private static func suspended(_ evidence: Evidence) -> Observation {
        let repeated = evidence.requests.dropFirst().count { $0.headers["range"] == nil }
        let bytes = evidence.file("body")?.bytes
        var detail =
            "\(bytes.map(String.init) ?? "no") bytes arrived of \(suspendedSize), error "
            + "\(evidence.fact("error") ?? "none"); \(Wording.count(repeated, "request")) more from byte 0"
        let calls = evidence.facts.count { $0.name == "response" }
        if calls > 0 {
            let emptied = Expected.matches(evidence.file("emptied"), bytes: suspendedSize)
            detail +=
                "; the delegate got \(Wording.count(calls, "response")), and a buffer that is emptied at each has "
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
            "resume data: \(data); \(Wording.count(evidence.requests.count, "request")), \(ranges) for a range")
    }

    /// Requires a second request for a range, answered with this status, and the right file at the end.
    private static func ranged(_ evidence: Evidence, status: Int, seed: UInt64) -> Observation {
        guard evidence.requests.first?.ending == .cut else { return .missing("first body that was cut") }
        guard evidence.requests.count > 1 else {
            return Observation(
                .broken, "\(Wording.count(evidence.requests.count, "request")), no second one for a range")
        }
        let second = evidence.requests[1]
        let asked = second.headers["range"] != nil && second.headers["if-range"] != nil
        let isRight = Expected.matches(evidence.file("body"), bytes: size, seed: seed)
        return .decide(
            asked && second.status == status && isRight && evidence.requests.count == 2,
            "\(Wording.count(evidence.requests.count, "request")); the second for "
                + "\(second.headers["range"] ?? "everything"), answered with \(second.status ?? 0) and "
                + "\(second.bytesSent.rawValue) bytes; the file is \(isRight ? "right" : "wrong")")
    }
}
