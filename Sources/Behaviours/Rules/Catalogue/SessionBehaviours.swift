// SPDX-License-Identifier: Apache-2.0

import Origin
import ProbeProtocol

extension BehaviourCatalog {
    /// Sessions: the tasks that they have, and what they leave behind.
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
            "\(bytes) bytes a session stayed; descriptors \(first.descriptors) → \(second.descriptors), threads "
                + "\(first.threads) → \(second.threads)")
    }
}
