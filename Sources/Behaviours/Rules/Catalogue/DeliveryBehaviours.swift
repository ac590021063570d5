// SPDX-License-Identifier: Apache-2.0

import Origin
import ProbeProtocol

extension BehaviourCatalog {
    static let delivery = progress + files + bodies
    private static let progress = [
        Behaviour(
            "progress-data-count", path: APIName.data,
            promise: "countOfBytesReceived grows with the body, and is in the end what the origin sent.",
            documented: .apple("countOfBytesReceived", "foundation/urlsessiontask/countofbytesreceived"),
            attempt: .probe("progress-data"),
            flaw: Flaw(
                .broken,
                cause: "NativeProtocol.swift:148 is the only place that counts, and it is that of a download with a "
                    + "delegate",
                workaround: .untried("add the sizes of the chunks in the delegate's didReceive data"))
        ) { grew($0, "count", whole: Double($0.bytesSent)) },
        Behaviour(
            "progress-data-object", path: APIName.data,
            promise: "progress advances with the body, and is complete when the body is.",
            documented: .apple("URLSessionTask.progress", "foundation/urlsessiontask/progress"),
            attempt: .probe("progress-data"),
            flaw: Flaw(
                .broken, cause: "HTTPURLProtocol.swift:302 sets NOPROGRESS, which undoes EasyHandle.swift:657",
                upstream: [.foundation(3475, .closed, "not done"), .foundation(2429, .merged)],
                workaround: .row("progress-download", "the progress calls of a download task"))
        ) { grew($0, "fraction", whole: 1) },
        Behaviour(
            "progress-download", path: APIName.download,
            promise: "The delegate is told again and again, and in the end of what the origin sent.",
            documented: .apple(
                "urlSession(_:downloadTask:didWriteData:totalBytesWritten:totalBytesExpectedToWrite:)",
                "foundation/urlsessiondownloaddelegate/"
                    + "urlsession(_:downloadtask:didwritedata:totalbyteswritten:totalbytesexpectedtowrite:)"),
            observe: downloadProgress),
        Behaviour(
            "delegate-queue", path: APIName.dataDelegate,
            promise: "Delegate and completion handler are called on the queue that was given.",
            documented: .apple(
                "URLSession.init(configuration:delegate:delegateQueue:)",
                "foundation/urlsession/init(configuration:delegate:delegatequeue:)"), observe: queues),
        Behaviour(
            "delegate-queue-default", path: APIName.dataDelegate,
            promise: "Without a queue, a session calls its delegate one call at a time, and not on the main queue.",
            documented: .apple(
                "URLSession.init(configuration:delegate:delegateQueue:)",
                "foundation/urlsession/init(configuration:delegate:delegatequeue:)")
        ) { evidence in
            let (most, onMain) = (evidence.fact("at-once") ?? "0", evidence.count("on-main", "true"))
            return .decide(
                most == "1" && onMain == 0 && evidence.requests.count == 2,
                "2 tasks, \(most) call at a time; \(onMain) of 2 ends on the main queue")
        },
    ]

    private static let files = [
        Behaviour(
            "temporary-file", path: APIName.download,
            promise: "The temporary file is removed when the completion handler has returned.",
            documented: .foundation("URLSession.swift", 493),
            flaw: Flaw(
                .broken,
                cause: "NativeProtocol.swift:37: nothing removes it, against the documentation at URLSession.swift:493",
                workaround: .untried("move the file away or remove it in the completion handler")),
            observe: filesRemoved),
        Behaviour(
            "copy-item", path: APIName.download,
            promise:
                "Moving a downloaded file within its file system writes nothing; copying it writes all of it again.",
            documented: nil
        ) { evidence in
            guard let moving = evidence.fact("moving").flatMap(Int.init),
                let copying = evidence.fact("copying").flatMap(Int.init),
                ["moved", "copied"].allSatisfy({ Expected.matches(evidence.file($0), bytes: 1 << 20) })
            else { return .missing("pair of files") }
            return .decide(
                moving < 4096 && copying >= 1 << 20,
                "of \(1 << 20) bytes, moving wrote \(moving) and copying \(copying)")
        },
        Behaviour(
            "temporary-file-async", path: APIName.async,
            promise:
                "The file of download(from:) stays until the caller removes it, as URLSession.swift:840 documents.",
            documented: .foundation("URLSession.swift", 840),
            observe: filesKept),
        Behaviour(
            "file-truncated-ahc", path: APIName.client,
            promise: "FileDownloadDelegate replaces a longer file at its path.",
            documented: .client(
                "Sources/AsyncHTTPClient/FileDownloadDelegate.swift", 85,
                says: "the path is that of the file to write, and nothing of an older one"),
            flaw: Flaw(
                .hazard, cause: "FileDownloadDelegate.swift:222 opens without O_TRUNC",
                workaround: .untried("remove the older file before the request"))
        ) { evidence in
            guard evidence.bytesSent == 64 << 10 else { return .missing("body of 64 KiB from the origin") }
            return .decide(
                Expected.matches(evidence.file("body"), bytes: 64 << 10),
                "65536 bytes sent over a file of 100000 bytes, which has \(evidence.file("body")?.bytes ?? 0) now")
        },
    ]

    private static let bodies = [
        Behaviour(
            "short-body", path: APIName.data, promise: "A body shorter than promised is refused.",
            documented: .incompleteMessage, observe: refused),
        Behaviour(
            "short-body-code", path: APIName.data,
            promise: "The error of a body that was cut is networkConnectionLost, -1005.",
            documented: .apple("URLError.networkConnectionLost", "foundation/urlerror/networkconnectionlost"),
            attempt: .probe("short-body"),
            flaw: Flaw(
                .broken, cause: "MultiHandle.swift:383: an error of libcurl that has no case becomes unknown, -1",
                workaround: .untried("take -1 after a part of the body for a lost connection"))
        ) { evidence in
            guard evidence.requests.contains(where: { $0.ending == .cut }) else { return .missing("body that was cut") }
            let error = evidence.fact("error") ?? "none"
            return .decide(error == "-1005", "the body was cut, the error is \(error)")
        },
        Behaviour(
            "short-body-download", path: APIName.download, promise: "A body shorter than promised is refused.",
            documented: .incompleteMessage,
            observe: refused),
        Behaviour(
            "short-body-ahc", path: APIName.client, promise: "A body shorter than promised is refused.",
            documented: .incompleteMessage,
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
        return "\(ObservationText.count(after.files.count, "file")) of \(bytes) bytes still there 1 s after 3 downloads"
    }

    /// Requires an error: the probe leaves a file `accepted` if the API reported success.
    private static func refused(_ evidence: Evidence) -> Observation {
        guard evidence.requests.contains(where: { $0.ending == .cut }) else { return .missing("body that was cut") }
        let error = evidence.fact("error") ?? "none"
        let accepted = evidence.file("accepted").map { "accepted as a body of \($0.bytes) bytes" } ?? "refused"
        return .decide(
            evidence.file("accepted") == nil && error != "none",
            "\(evidence.bytesSent) of 65536 bytes sent, \(accepted), error: \(error)")
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

    /// Slow consumers: they slow the sender down, or bytes pile up in memory.
    static let backPressure = [
        Behaviour(
            "back-pressure-data", path: APIName.dataDelegate,
            promise: "A delegate that does not return keeps the origin from sending.", documented: .blockedDelegate,
            flaw: Flaw(
                .hazard,
                cause:
                    "NativeProtocol.swift:140: each chunk becomes an operation of the delegate's queue, which has no "
                    + "limit; pausing the transfer is a fatalError (line 80)",
                upstream: [.foundation(3204, .open)],
                workaround: .row(
                    "back-pressure-blocking-queue", "a queue that blocks in addOperation, at the price of all sessions")
            ),
            observe: sentWhileBlocked),
        Behaviour(
            "back-pressure-blocking-queue", path: APIName.dataDelegate,
            promise:
                "Workaround: the same where the delegate's queue makes URLSession wait in addOperation. "
                + "Price: all sessions of the process and their timers wait, too.",
            documented: nil,
            observe: sentWhileBlocked),
        Behaviour(
            "back-pressure-download", path: APIName.download,
            promise: "Memory stays flat while the delegate does not return from a progress call.",
            documented: .blockedDelegate,
            flaw: Flaw(
                .hazard,
                cause: "NativeProtocol.swift:149: each progress call captures its chunk, of which it needs the size "
                    + "alone; one line upstream would fix it",
                upstream: [.foundation(3204, .open)],
                workaround: .untried("return from the progress call at once, and do the work elsewhere")),
            observe: heldWhileBlocked),
        Behaviour(
            "back-pressure-ahc", path: APIName.client,
            promise: "A body that is not read any further keeps the origin from sending.",
            documented: .clientGuide, observe: sentWhileBlocked),
    ]

    /// A limit above the socket buffers of both sides: a quarter of the body.
    private static let limit = 16 << 20

    private static func sentWhileBlocked(_ evidence: Evidence) -> Observation {
        guard let blocked = evidence.mark("blocked"), blocked.requests > 0 else { return .missing("blocked transfer") }
        return .decide(
            blocked.bytesSent <= limit,
            "the origin sent \(ObservationText.mebibytes(blocked.bytesSent)) of 64 MiB to a consumer that took one piece"
        )
    }

    private static func heldWhileBlocked(_ evidence: Evidence) -> Observation {
        guard let before = evidence.mark("before"), let blocked = evidence.mark("blocked"), blocked.requests > 0
        else { return .missing("blocked transfer") }
        let growth = blocked.anonymousBytes - before.anonymousBytes
        return .decide(
            growth <= limit,
            "the process grew by \(ObservationText.mebibytes(growth)) while the origin sent "
                + "\(ObservationText.mebibytes(blocked.bytesSent)) of 64 MiB")
    }
}
