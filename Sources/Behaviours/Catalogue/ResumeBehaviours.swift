// SPDX-License-Identifier: Apache-2.0

import AssetServer
import MemProbe

extension BehaviourCatalog {
    /// What was received is kept, and the rest of the right body is added to it.
    static let resume = [
        Behaviour(
            "suspend-resume-data", path: Path.dataDelegate,
            promise: "A suspended and resumed transfer delivers each byte once.", observe: suspended),
        Behaviour(
            "suspend-resume-download", path: Path.download,
            promise: "A suspended and resumed transfer ends with the right file.", observe: suspended),
        Behaviour(
            "resume-data", path: Path.download,
            promise: "Cancelling gives resume data, and with it the download continues where it was."
        ) { evidence in
            let continued = evidence.requests.dropFirst().contains { $0.status == 206 }
            let data = evidence.fact("resume-data") ?? "never handed over"
            let ranges = evidence.requests.count { $0.headers["range"] != nil }
            return .decide(
                continued && Expected.matches(evidence.file("body"), bytes: size),
                "resume data: \(data); \(Wording.count(evidence.requests.count, "request")), \(ranges) for a range")
        },
        Behaviour(
            "resume-by-range", path: Path.dataDelegate,
            promise: "With Range and If-Range only the missing part of a cut body is fetched."
        ) { ranged($0, status: 206, seed: 0) },
        Behaviour(
            "resume-by-range-changed", path: Path.dataDelegate,
            promise: "If-Range gets the whole new body where the old one has changed."
        ) { ranged($0, status: 200, seed: 1) },
        Behaviour(
            "resume-by-range-unsupported", path: Path.dataDelegate,
            promise: "A server without ranges sends the whole body again, and it arrives whole."
        ) { ranged($0, status: 200, seed: 0) },
    ]

    private static let size = 8 << 20
    private static let suspendedSize = 16 << 20

    private static func suspended(_ evidence: Evidence) -> Observation {
        let repeated = evidence.requests.dropFirst().count { $0.headers["range"] == nil }
        let bytes = evidence.file("body")?.bytes
        return .decide(
            Expected.matches(evidence.file("body"), bytes: suspendedSize),
            "\(bytes.map(String.init) ?? "no") bytes arrived of \(suspendedSize), error \(evidence.fact("error") ?? "none"); "
                + "\(Wording.count(repeated, "request")) more from byte 0")
    }

    /// The second request asks for a range, is answered with this status, and the file is right in the end.
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
