// SPDX-License-Identifier: Apache-2.0

import Origin
import ProbeProtocol

extension BehaviourCatalog {
    static let delivery = progress + files + bodies
    private static let progress = [
        Behaviour(
            "progress-data-count", path: Path.data,
            promise: "countOfBytesReceived grows with the body, and is in the end what the origin sent.",
            attempt: .probe("progress-data"),
            flaw: Flaw(
                .broken,
                cause: "NativeProtocol.swift:148 is the only place that counts, and it is that of a download with a "
                    + "delegate",
                upstream: "swift-corelibs-foundation#3477")
        ) { grew($0, "count", whole: Double($0.bytesSent)) },
        Behaviour(
            "progress-data-object", path: Path.data,
            promise: "progress advances with the body, and is complete when the body is.",
            attempt: .probe("progress-data"),
            flaw: Flaw(
                .broken, cause: "HTTPURLProtocol.swift:302 sets NOPROGRESS, which undoes EasyHandle.swift:657",
                upstream: "swift-corelibs-foundation#3475; pull request #2429")
        ) { grew($0, "fraction", whole: 1) },
        Behaviour(
            "progress-download", path: Path.download,
            promise: "The delegate is told again and again, and in the end of what the origin sent.",
            observe: downloadProgress),
        Behaviour(
            "delegate-queue", path: Path.dataDelegate,
            promise: "Delegate and completion handler are called on the queue that was given.", observe: queues),
    ]

    private static let files = [
        Behaviour(
            "temporary-file", path: Path.download,
            promise: "The temporary file is removed when the completion handler has returned.",
            flaw: Flaw(
                .broken,
                cause: "NativeProtocol.swift:37: nothing removes it, against the documentation at URLSession.swift:493"),
            observe: filesRemoved),
        Behaviour(
            "temporary-file-async", path: Path.async,
            promise:
                "The file of download(from:) stays until the caller removes it, as URLSession.swift:840 documents.",
            observe: filesKept),
        Behaviour(
            "file-truncated-ahc", path: Path.client,
            promise: "FileDownloadDelegate replaces a longer file at its path.",
            flaw: Flaw(
                .hazard,
                cause:
                    "FileDownloadDelegate.swift:222 opens without O_TRUNC; nothing documents what becomes of an older "
                    + "file")
        ) { evidence in
            guard evidence.bytesSent == 64 << 10 else { return .missing("body of 64 KiB from the origin") }
            return .decide(
                Expected.matches(evidence.file("body"), bytes: 64 << 10), else: .hazard,
                "65536 bytes sent over a file of 100000 bytes, which has \(evidence.file("body")?.bytes ?? 0) now")
        },
    ]

    private static let bodies = [
        Behaviour(
            "short-body", path: Path.data, promise: "A body shorter than promised is refused.", observe: refused),
        Behaviour(
            "short-body-download", path: Path.download, promise: "A body shorter than promised is refused.",
            observe: refused),
        Behaviour(
            "short-body-ahc", path: Path.client, promise: "A body shorter than promised is refused.",
            observe: refused),
    ]

    /// Requires a part of the body after one of two seconds, and all of it at the end.
    private static func grew(_ evidence: Evidence, _ what: String, whole: Double) -> Observation {
        guard evidence.bytesSent == 2 << 20, let midway = evidence.fact("midway-\(what)"),
            let final = evidence.fact("final-\(what)")
        else { return .missing("body of 2 MiB from the origin") }
        let (early, late) = (Double(midway) ?? 0, Double(final) ?? 0)
        return .decide(
            early > 0 && early < whole && late == whole,
            "the origin sent \(evidence.bytesSent) bytes; \(what) \(midway) after 1 of 2 s, \(final) in the end")
    }

    private static func downloadProgress(_ evidence: Evidence) -> Observation {
        let (calls, written) = (evidence.fact("calls") ?? "0", evidence.fact("written") ?? "nothing")
        return .decide(
            written == "\(evidence.bytesSent)" && (Int(calls) ?? 0) > 1,
            "the origin sent \(evidence.bytesSent) bytes, the last of \(calls) calls tells \(written)")
    }

    private static func filesRemoved(_ evidence: Evidence) -> Observation {
        guard let after = evidence.mark("after"), after.requests == 3 else { return .missing("end of 3 downloads") }
        return .decide(after.files.isEmpty, stillThere(after))
    }

    private static func filesKept(_ evidence: Evidence) -> Observation {
        guard let after = evidence.mark("after"), after.requests == 3 else { return .missing("end of 3 downloads") }
        let whole = after.files.filter { Expected.matches($0, bytes: 256 << 10) }
        return .decide(whole.count == 3 && after.files.count == 3, stillThere(after))
    }

    private static func stillThere(_ after: Reading) -> String {
        let bytes = after.files.reduce(0) { $0 + $1.bytes }
        return "\(Wording.count(after.files.count, "file")) of \(bytes) bytes still there 1 s after 3 downloads"
    }

    /// Requires an error: the probe leaves a file `accepted` if the API reported success.
    private static func refused(_ evidence: Evidence) -> Observation {
        guard evidence.requests.contains(where: { $0.ending == .cut }) else { return .missing("body that was cut") }
        let error = evidence.fact("error") ?? "none"
        let accepted = evidence.file("accepted").map { "accepted as a body of \($0.bytes) bytes" } ?? "refused"
        return .decide(
            evidence.file("accepted") == nil && error != "none",
            "\(evidence.bytesSent) of 65536 bytes sent, \(accepted), error: \(error)"
                + (error == "-1" ? " (unknown: MultiHandle.swift:383 has no code for it)" : ""))
    }

    private static func queues(_ evidence: Evidence) -> Observation {
        guard evidence.requests.count == 2 else { return .missing("pair of requests at the origin") }
        let names = ["data-on-queue", "end-on-queue", "handler-on-queue"]
        let told = evidence.facts.filter { names.contains($0.name) }
        let right = told.count { $0.value == "true" }
        return .decide(
            right == told.count && names.allSatisfy { name in told.contains { $0.name == name } },
            "\(right == told.count ? "all" : "\(right) of \(told.count)") calls came on the queue, for 2 requests")
    }
}
