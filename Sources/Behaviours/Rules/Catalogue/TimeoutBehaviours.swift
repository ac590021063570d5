// SPDX-License-Identifier: Apache-2.0

import Origin
import ProbeProtocol

extension BehaviourCatalog {
    /// The times at which clients leave a silent or slow origin, as the origin sees them.
    static let timeouts = [
        Behaviour(
            "request-timeout", path: APIName.session,
            promise: "timeoutIntervalForRequest of 1 and 2 s ends a silent request then.", documented: .requestTimeout
        ) { left($0, after: [1000, 2000]) },
        Behaviour(
            "request-timeout-granularity", path: APIName.session,
            promise: "Time-outs of 0.5 and 1.5 s are kept to the fraction of a second.",
            documented: .apple("TimeInterval", "foundation/timeinterval"),
            attempt: .probe("request-timeout"),
            flaw: Flaw(
                .broken,
                cause: "HTTPURLProtocol.swift:412: whole seconds, times 1000; 0 becomes 1 ms (MultiHandle.swift:458)",
                workaround: .row("request-timeout", "whole seconds"))
        ) { left($0, after: [500, 1500]) },
        Behaviour(
            "resource-timeout", path: APIName.session,
            promise: "timeoutIntervalForResource of 2 s ends a transfer that is under way.",
            documented: .apple(
                "timeoutIntervalForResource", "foundation/urlsessionconfiguration/timeoutintervalforresource"),
            flaw: Flaw(
                .broken, cause: "Configuration.swift:89 copies it, and nothing reads it",
                workaround: .row("cancel-data", "cancel() by a timer of your own")),
            observe: leftResource),
        Behaviour(
            "request-timeout-ahc", path: APIName.client,
            promise: "A read time-out of 0.5, 1, 1.5 or 2 s ends a silent request then.",
            documented: .client("Sources/AsyncHTTPClient/HTTPClient.swift", 1273)
        ) { left($0, after: [500, 1000, 1500, 2000]) },
        Behaviour(
            "resource-timeout-ahc", path: APIName.client,
            promise: "The time-out of the async execute, 2 s, covers the body, too.",
            documented: .client(
                "Sources/AsyncHTTPClient/AsyncAwait/HTTPClient+execute.swift", 32,
                says: "the request must complete by the deadline, and the body may still arrive after the return"),
            flaw: Flaw(
                .hazard, cause: "HTTPClient+execute.swift:176 cancels the deadline when the head has arrived",
                upstream: [.client(529, .merged, "introduced the deadline")],
                workaround: .row("cancel-ahc", "cancel the task that reads the body")),
            observe: leftResource),
        Behaviour(
            "request-timeout-queued", path: APIName.session,
            promise:
                "Tasks that wait for one of 5 connections do not spend their timeoutIntervalForRequest of 4 s meanwhile.",
            documented: .apple(
                "timeoutIntervalForRequest", "foundation/urlsessionconfiguration/timeoutintervalforrequest",
                says: "how long to wait for additional data, and nothing of a wait for a connection"),
            flaw: Flaw(
                .hazard,
                cause: "HTTPURLProtocol.swift:412 to 425: the timer starts when a task is resumed, and libcurl lets it "
                    + "wait for a connection after",
                workaround: .untried("resume no more tasks at a time than there are connections")),
            observe: waited),
        Behaviour(
            "connect-timeout-queued-ahc", path: APIName.client,
            promise: "Requests that wait for one of 5 connections do not spend the connect time-out of 1 s meanwhile.",
            documented: .client(
                "Sources/AsyncHTTPClient/HTTPClient.swift", 1271,
                says: "it is the time-out of connecting, and nothing of a wait for the pool"),
            flaw: Flaw(
                .hazard,
                cause:
                    "HTTPClient+execute.swift:185 and HTTPClient.swift:811: connectionDeadline counts the wait for a "
                    + "connection of the pool, too",
                workaround: .untried("fewer requests at a time, or a connect time-out that is longer than the wait")),
            observe: waited),
    ]

    /// The least delay in seconds of requests that had to wait for a connection, after the first request.
    private static let shortestWait = 2.0

    private static func waited(_ evidence: Evidence) -> Observation {
        guard let first = evidence.requests.map(\.beganNanoseconds).min() else { return .missing("request") }
        let late = evidence.requests.count { Double($0.beganNanoseconds - first) / 1e9 >= shortestWait }
        let told = evidence.facts.filter { $0.name == "error" }.map(\.value)
        let failed = told.filter { $0 != "none" }
        guard told.count == 10, late > 0 || !failed.isEmpty, evidence.mostConcurrent <= 5 else {
            return .missing("request that waited")
        }
        let errors = Set(failed).sorted().joined(separator: ", ")
        return .decide(
            failed.isEmpty && late == 5 && evidence.requests.allSatisfy { $0.ending == .complete },
            "10 asked, 5 at a time for 2.5 s each; \(ObservationText.count(failed.count, "request")) of them failed"
                + (errors.isEmpty ? "" : " (\(errors))") + ", \(late) reached the origin later")
    }

    /// The accepted deviation in seconds from a time-out: less than that of rounding to whole seconds.
    private static let tolerance = (early: 0.1, lateOfSeconds: 0.9, lateOfFractions: 0.45)

    private static func left(_ evidence: Evidence, after milliseconds: [Int]) -> Observation {
        var isRight = true
        var words: [String] = []
        for asked in milliseconds {
            let request = evidence.requests.first { $0.query["after"] == "\(asked)" }
            let wanted = Double(asked) / 1000
            let seconds = request.flatMap(\.seconds)
            let late = asked % 1000 == 0 ? tolerance.lateOfSeconds : tolerance.lateOfFractions
            let inTime = seconds.map { $0 >= wanted - tolerance.early && $0 <= wanted + late } ?? false
            isRight = isRight && inTime
            let seen = request == nil ? "never reached the origin" : "left after \(ObservationText.seconds(seconds))"
            words.append("\(ObservationText.seconds(wanted)) asked, \(seen)")
        }
        return .decide(isRight, words.joined(separator: "; "))
    }

    private static func leftResource(_ evidence: Evidence) -> Observation {
        guard let mark = evidence.mark("after-5-s"), let request = evidence.requests.first else {
            return .missing("transfer under way")
        }
        guard let ended = request.endedNanoseconds, ended < mark.time else {
            return Observation(.broken, "2 s asked; the client was still receiving after 5 s")
        }
        let seconds = request.seconds ?? 0
        return .decide(
            seconds >= 2 - tolerance.early && seconds <= 2 + tolerance.lateOfSeconds && request.ending == .abandoned,
            "2 s asked, the client left after \(ObservationText.seconds(seconds))")
    }
}
