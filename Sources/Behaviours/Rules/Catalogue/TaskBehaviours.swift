// SPDX-License-Identifier: Apache-2.0

import Origin
import ProbeProtocol

extension BehaviourCatalog {
    static let urlTasks = [
        Behaviour(
            "cancel-download", path: APIName.download,
            promise: "cancel() ends a download at once, with the error cancelled and without a file.",
            documented: .cancel, observe: downloadCancelled),
        Behaviour(
            "cancel-download-file", path: APIName.download,
            promise: "A download that was cancelled leaves no file on disk.", documented: nil,
            attempt: .probe("cancel-download"),
            flaw: Flaw(
                .hazard, cause: "NativeProtocol.swift:37 makes the file, and nothing removes it",
                workaround: .untried("a TMPDIR of your own, which you empty")),
            observe: nothingOnDisk),
        Behaviour(
            "cancel-data-at-once", path: APIName.data,
            promise: "Without a URLCache, cancel() right after resume() ends each of 1,000 tasks.",
            documented: .cancel, seconds: 40, observe: allTold),
        Behaviour(
            "cancel-data-with-cache", path: APIName.data,
            promise: "With the URLCache of a default session, cancel() right after resume() ends each of 1,000 tasks.",
            documented: .cancel, seconds: 40, attempts: 5, mayHold: true, flaw: cacheRace, observe: allTold),
        Behaviour(
            "cancel-data-shared", path: APIName.data,
            promise: "On URLSession.shared, cancel() right after resume() ends each of 1,000 tasks.",
            documented: .cancel, seconds: 40, attempts: 5, mayHold: true, flaw: cacheRace, observe: allTold),
        Behaviour(
            "suspended-timeout", path: APIName.data,
            promise: "A task that is suspended for 3 s keeps to its time-out of 2 s only when it is resumed.",
            documented: .suspend,
            flaw: Flaw(
                .broken,
                cause: "NativeProtocol.swift:453: suspend() takes the transfer from libcurl, and the timer of "
                    + "HTTPURLProtocol.swift:435 runs on",
                workaround: .row("request-timeout", "a time-out that is longer than the pause")),
            observe: waitedSuspended),
        Behaviour(
            "lost-connection", path: APIName.data,
            promise:
                "A connection that is reset before any answer gives networkConnectionLost (-1005), 20 times of 20.",
            documented: .apple("URLError.networkConnectionLost", "foundation/urlerror/networkconnectionlost"),
            observe: lost),
        Behaviour(
            "task-delegate", path: APIName.data,
            promise: "The delegate of a task, instead of its session, is told that the task has ended.",
            documented: .taskDelegate,
            flaw: Flaw(
                .broken, cause: "URLSession.swift:678 asks for the delegate of the session only",
                upstream: [.foundation(5187, .open)],
                workaround: .row("delegate-queue", "a delegate of the session"))
        ) { evidence in
            guard evidence.requests.contains(where: { $0.ending == .complete }), let called = evidence.fact("called")
            else { return .missing("task that has ended") }
            return .decide(
                called == "true",
                "the request was answered, the delegate was \(called == "true" ? "told" : "not told in 3 s")")
        },
        Behaviour(
            "task-delegate-redirect", path: APIName.data, promise: "The delegate of a task is asked about a redirect.",
            documented: .taskDelegate, observe: askedOfRedirect),
        Behaviour(
            "task-delegate-async", path: APIName.async,
            promise: "The delegate that is given to data(for:delegate:) is asked about a redirect.",
            documented: .apple("data(for:delegate:)", "foundation/urlsession/data(for:delegate:)"),
            flaw: Flaw(
                .broken,
                cause: "URLSession.swift:747: the task is made without this delegate as its own, which is the one that "
                    + "HTTPURLProtocol.swift:475 asks",
                upstream: [.foundation(5187, .open, "related")],
                workaround: .row("task-delegate-redirect", "a data task with a delegate and a completion handler")),
            observe: askedOfRedirect),
        Behaviour(
            "metrics", path: APIName.dataDelegate, promise: "The delegate is given the metrics of a task.",
            documented: .apple(
                "didFinishCollecting",
                "foundation/urlsessiontaskdelegate/urlsession(_:task:didfinishcollecting:)"),
            flaw: Flaw(
                .absent, cause: "URLSessionDelegate.swift:134 declares the method, and nothing calls it",
                upstream: [.foundation(4988, .open)], workaround: .untried("a clock of your own"))
        ) { evidence in
            guard let metrics = evidence.fact("metrics") else { return .missing("task that has ended") }
            return .decide(
                metrics == "told", else: .absent,
                "\(ObservationText.count(evidence.requests.count, "request")); metrics 2 s after the end: \(metrics)")
        },
        Behaviour(
            "earliest-begin-date", path: APIName.data,
            promise: "A task with an earliestBeginDate in 3 s does not ask the origin before.",
            documented: .foundation(
                "URLSessionTask.swift", 92, says: "it has no effect on tasks of sessions that are not in the background"
            ),
            flaw: Flaw(
                .hazard, cause: "URLSessionTask.swift:93 declares the date, and nothing reads it",
                workaround: .untried("resume() by a timer of your own")),
            observe: begunLater),
        Behaviour(
            "priority", path: APIName.data, promise: "The highest and the lowest priority are accepted.",
            documented: .apple("URLSessionTask.priority", "foundation/urlsessiontask/priority")
        ) { evidence in
            let complete = evidence.requests.count { $0.ending == .complete }
            let kept = evidence.count("priority", "kept")
            return .decide(
                complete == 2 && kept == 2, "\(complete) of 2 requests answered; \(kept) of 2 priorities kept")
        },
    ]

    private static let cacheRace = Flaw(
        .traps,
        cause: "URLSessionTask.swift:162: with a cache the task begins on another queue (URLCache.swift:674), so that "
            + "cancel() reports its error after the task was removed; TaskRegistry.swift:118 traps",
        upstream: [.foundation(3296, .open)],
        workaround: .row("cancel-data-at-once", "a session whose urlCache is nil"))

    private static func downloadCancelled(_ evidence: Evidence) -> Observation {
        let left = evidence.requests.count { $0.ending == .abandoned && ($0.seconds ?? .infinity) < 2 }
        let errors = evidence.count("error", "-999")
        let without = evidence.count("file", "none")
        return .decide(
            left == 3 && errors == 3 && without == 3,
            "\(left) of 3 clients left before 2.0 s; \(errors) of 3 callers got -999, \(without) no file")
    }

    private static func nothingOnDisk(_ evidence: Evidence) -> Observation {
        guard let after = evidence.mark("after"), after.requests == 3 else { return .missing("end of 3 downloads") }
        let bytes = after.files.reduce(0) { $0 + $1.bytes }
        return .decide(
            after.files.isEmpty,
            "\(ObservationText.count(after.files.count, "file")) of \(bytes) bytes on disk after 3 cancelled downloads")
    }

    private static func allTold(_ evidence: Evidence) -> Observation {
        guard let cancelled = evidence.fact("cancelled").flatMap({ Int($0) }),
            let complete = evidence.fact("complete").flatMap({ Int($0) })
        else { return .missing("end of 1,000 tasks") }
        return .decide(
            cancelled + complete == 1000 && cancelled > 0,
            "of 1000 callers \(cancelled) got -999, and \(complete) the body, which had arrived already")
    }

    private static func waitedSuspended(_ evidence: Evidence) -> Observation {
        guard let pause = evidence.fact("while-suspended") else { return .missing("suspended task") }
        let error = evidence.fact("error") ?? "none"
        return .decide(
            pause == "waited" && error == "none",
            "\(pause == "waited" ? "nothing was told" : "the caller was told the end") during the pause, error \(error)"
        )
    }

    private static func lost(_ evidence: Evidence) -> Observation {
        let codes = evidence.facts.filter { $0.name == "lost" }.map(\.value)
        guard codes.count == 20 else { return .missing("20 lost connections") }
        let kinds = Set(codes).sorted().joined(separator: ", ")
        return .decide(
            kinds == "-1005" && evidence.requests.contains { $0.ending == .complete },
            "20 connections reset, error \(kinds); then the session was answered "
                + ObservationText.count(evidence.requests.count, "time"))
    }

    private static func askedOfRedirect(_ evidence: Evidence) -> Observation {
        guard evidence.requests.contains(where: { $0.status == 302 }) else { return .missing("redirect") }
        let asked = evidence.count("asked", "redirect")
        return .decide(asked == 1, "1 redirect; the delegate was asked \(ObservationText.count(asked, "time"))")
    }

    private static func begunLater(_ evidence: Evidence) -> Observation {
        guard let mark = evidence.mark("resumed"), let request = evidence.requests.first else {
            return .missing("request after the mark")
        }
        let seconds = Double(request.beganNanoseconds - mark.time) / 1e9
        return .decide(
            seconds >= 2.5, "3 s asked; the request reached the origin after \(ObservationText.seconds(seconds))")
    }
}

extension Documentation {
    fileprivate static let taskDelegate = apple("URLSessionTask.delegate", "foundation/urlsessiontask/delegate")
}
