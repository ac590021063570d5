// SPDX-License-Identifier: Apache-2.0

import MemProbe
import Origin
import ProbeProtocol

extension BehaviourCatalog {
    static let sessions = [
        Behaviour(
            "session-all-tasks", path: APIName.session,
            promise: "getAllTasks gives the 3 tasks under way, and none when they have ended.",
            documented: .apple("getAllTasks", "foundation/urlsession/getalltasks(completionhandler:)")
        ) { evidence in
            guard evidence.requests.count == 3 else { return .missing("3 requests at the origin") }
            let (during, after) = (evidence.fact("all") ?? "nothing", evidence.fact("all-after") ?? "nothing")
            return .decide(
                during == "3" && after == "0", "3 requests under way: \(during) tasks; when all had ended: \(after)")
        },
        Behaviour(
            "session-tasks-by-kind", path: APIName.session,
            promise: "getTasksWithCompletionHandler gives data, upload and download tasks apart.",
            documented: .apple(
                "getTasksWithCompletionHandler", "foundation/urlsession/gettaskswithcompletionhandler(_:)"),
            attempt: .probe("session-all-tasks")
        ) { evidence in
            guard evidence.requests.count == 3 else { return .missing("3 requests at the origin") }
            let seen = evidence.fact("by-kind") ?? "nothing"
            return .decide(seen == "1 1 1", "one request of each kind under way; data, upload, download: \(seen)")
        },
        Behaviour(
            "session-per-call", path: APIName.session,
            promise: "A session for each of 100 requests, not invalidated, leaves no memory, descriptor or thread.",
            documented: .apple(
                "URLSession.init", "foundation/urlsession/init(configuration:delegate:delegatequeue:)",
                says: "a session keeps its delegate until it is invalidated or the app exits"),
            seconds: 60,
            observe: sessionsGone),
        Behaviour(
            "session-per-call-finished", path: APIName.session,
            promise: "100 sessions that were ended by finishTasksAndInvalidate leave no memory, descriptor or thread.",
            documented: .apple("finishTasksAndInvalidate", "foundation/urlsession/finishtasksandinvalidate()"),
            seconds: 60,
            observe: sessionsGone),
        Behaviour(
            "thirty-requests", path: APIName.data, promise: "30 requests at once are all answered.", documented: nil
        ) { evidence in
            let complete = evidence.requests.count { $0.ending == .complete }
            let told = evidence.count("error", "none")
            return .decide(
                complete == 30 && told == 30,
                "the origin answered \(complete) requests, \(told) of 30 callers got no error")
        },
    ]

    /// The growth that is no session: one that is kept holds 3 descriptors and more than 40 KiB.
    private static let margin = (bytes: 10 << 10, descriptors: 10, threads: 4)

    private static func sessionsGone(_ evidence: Evidence) -> Observation {
        guard let first = evidence.mark("first"), let second = evidence.mark("second"),
            second.requests - first.requests == 100
        else { return .missing("account of 100 sessions") }
        let bytes = (second.anonymousBytes - first.anonymousBytes) / 100
        return .decide(
            bytes <= margin.bytes && second.descriptors - first.descriptors <= margin.descriptors
                && second.threads - first.threads <= margin.threads,
            "\(bytes) bytes a session stayed, where up to \(margin.bytes) count as none; descriptors \(first.descriptors) → "
                + "\(second.descriptors) (\(margin.descriptors)), threads \(first.threads) → \(second.threads) (\(margin.threads))"
        )
    }

    static let delegates = [
        Behaviour(
            "disposition", path: APIName.dataDelegate,
            promise: "A delegate that answers a response with cancel gets no body.",
            documented: .apple(
                "urlSession(_:dataTask:didReceive:completionHandler:)",
                "foundation/urlsessiondatadelegate/urlsession(_:datatask:didreceive:completionhandler:)"),
            flaw: Flaw(
                .broken,
                cause: "URLSessionTask.swift:1084: the delegate is asked, and its answer is dropped; "
                    + "URLSessionDelegate.swift:203 documents that as a bug",
                upstream: [.foundation(3236, .open)],
                workaround: .row("cancel-data", "cancel() of the task, whose error is then cancelled"))
        ) { evidence in
            guard let request = evidence.requests.first, let delivered = evidence.fact("delivered") else {
                return .missing("end of a refused transfer")
            }
            let asked = evidence.count("asked", "cancel")
            return .decide(
                request.ending == .abandoned && request.bytesSent.rawValue <= refusedLimit && delivered == "0",
                "the delegate was asked \(asked == 0 ? "never" : ObservationText.count(asked, "time")) and said cancel; "
                    + "\(request.bytesSent.rawValue) of 4194304 bytes sent, \(delivered) delivered, error "
                    + (evidence.fact("error") ?? "none"))
        },
        Behaviour(
            "download-async-delegate", path: APIName.async,
            promise: "download(for:delegate:) with a download delegate gives the right file.",
            documented: .foundation("URLSession.swift", 840),
            flaw: Flaw(
                .broken,
                cause:
                    "NativeProtocol.swift:143 writes each chunk for the delegate, and the drain of :362 (toFile) writes "
                    + "it once more for the async form",
                workaround: .row("progress-download", "a download task with a delegate of the session"))
        ) { evidence in
            guard evidence.bytesSent == 256 << 10 else { return .missing("body of 256 KiB from the origin") }
            return .decide(
                Expected.matches(evidence.file("body"), bytes: 256 << 10),
                "262144 bytes sent, \(evidence.file("body")?.bytes ?? 0) in the file")
        },
    ]

    /// A quarter of the body, which the origin sends in a second; the refusal comes with the first bytes.
    private static let refusedLimit = 1 << 20
}
