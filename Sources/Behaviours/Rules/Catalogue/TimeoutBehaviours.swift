// SPDX-License-Identifier: Apache-2.0

import Origin
import ProbeProtocol

extension BehaviourCatalog {
    /// The times at which clients leave a silent or slow origin, as the origin sees them.
    static let timeouts = [
        Behaviour(
            "request-timeout", path: Path.session,
            promise: "timeoutIntervalForRequest of 1 and 2 s ends a silent request then."
        ) { left($0, after: [1000, 2000]) },
        Behaviour(
            "request-timeout-granularity", path: Path.session,
            promise: "Time-outs of 0.5 and 1.5 s are kept to the fraction of a second.",
            attempt: .probe("request-timeout"),
            flaw: Flaw(
                .broken,
                cause: "HTTPURLProtocol.swift:412: whole seconds, times 1000; 0 becomes 1 ms (MultiHandle.swift:458)")
        ) { left($0, after: [500, 1500]) },
        Behaviour(
            "resource-timeout", path: Path.session,
            promise: "timeoutIntervalForResource of 2 s ends a transfer that is under way.",
            flaw: Flaw(.broken, cause: "Configuration.swift:89 copies it, and nothing reads it"),
            observe: leftResource),
        Behaviour(
            "request-timeout-ahc", path: Path.client,
            promise: "A read time-out of 0.5, 1, 1.5 or 2 s ends a silent request then."
        ) { left($0, after: [500, 1000, 1500, 2000]) },
        Behaviour(
            "resource-timeout-ahc", path: Path.client,
            promise: "The time-out of the async execute, 2 s, covers the body, too.",
            flaw: Flaw(
                .broken, cause: "HTTPClient+execute.swift:173 cancels the deadline when the head has arrived",
                upstream: "async-http-client, pull request #529"),
            observe: leftResource),
        Behaviour(
            "request-timeout-queued", path: Path.session,
            promise:
                "Tasks that wait for one of 5 connections do not spend their timeoutIntervalForRequest of 4 s meanwhile.",
            flaw: Flaw(
                .broken,
                cause: "the timer starts when a task is resumed, and libcurl lets it wait for a connection after"),
            observe: waited),
        Behaviour(
            "connect-timeout-queued-ahc", path: Path.client,
            promise: "Requests that wait for one of 5 connections do not spend the connect time-out of 1 s meanwhile.",
            flaw: Flaw(
                .broken, cause: "the connect time-out is that of getting a connection from the pool, waiting included"),
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
            "10 asked, 5 at a time for 2.5 s each; \(Wording.count(failed.count, "request")) of them failed"
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
            let seen = request == nil ? "never reached the origin" : "left after \(Wording.seconds(seconds))"
            words.append("\(Wording.seconds(wanted)) asked, \(seen)")
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
            "2 s asked, the client left after \(Wording.seconds(seconds))")
    }
}
