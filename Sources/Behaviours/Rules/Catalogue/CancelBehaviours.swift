// SPDX-License-Identifier: Apache-2.0

import MemProbe
import Origin
import ProbeProtocol

extension BehaviourCatalog {
    /// Cancellation: each of a hundred clients leaves at once with the right error.
    static let cancel = [
        Behaviour(
            "cancel-data", path: APIName.data,
            promise: "Without a URLCache, cancel() ends a transfer at once with the error cancelled, 100 times of 100.",
            documented: .cancel,
            seconds: 60
        ) { cancelled($0, error: "-999") },
        Behaviour(
            "cancel-delegate", path: APIName.dataDelegate,
            promise: "A delegate is told the end of a data task and of a download task that were cancelled.",
            documented: .cancel
        ) { evidence in
            let told = evidence.count("error", "-999")
            return .decide(
                told == 2 && evidence.requests.count == 2, "\(told) of 2 delegates were told, with the error cancelled")
        },
        Behaviour(
            "cancel-async-slow", path: APIName.async,
            promise: "Cancelling the task ends a slow data(from:) at once, 100 times of 100.", documented: nil,
            seconds: 60
        ) { cancelled($0, error: "-999") },
        Behaviour(
            "cancel-async-fast", path: APIName.async,
            promise: "Cancelling the task at any instant of a fast data(from:) returns, 100 times of 100.",
            documented: nil, seconds: 10, attempts: 5, flaw: inverted, observe: allReturned),
        Behaviour(
            "cancel-download-async", path: APIName.async,
            promise: "Cancelling the task at any instant of a fast download(from:) returns, 100 times of 100.",
            documented: nil, seconds: 10, attempts: 5, flaw: inverted, observe: allReturned),
        Behaviour(
            "cancel-ahc", path: APIName.client,
            promise: "Cancelling the task ends a transfer at once, 100 times of 100.", documented: nil, seconds: 60
        ) { cancelled($0, error: "CancellationError") },
    ]

    private static let inverted = Flaw(
        .deadlocks, .traps,
        cause: "URLSessionTask.swift:382: lock-order inversion. Cancelling holds the status lock of the Swift "
            + "task and waits for URLSession's work queue, which resumes the same task and waits for that lock; "
            + "which of the two words it comes to is chance",
        upstream: [.foundation(5412, .closed), .foundation(5417, .merged, "on main and for 6.4, in no 6.3.x")],
        fixedIn: "6.4",
        workaround: .row("cancel-continuation-fast", "a continuation over a data task, and a cancellation handler"))

    /// The limit in seconds for leaving a transfer of 8 s.
    private static let prompt = 2.0

    private static func cancelled(_ evidence: Evidence, error: String) -> Observation {
        guard let mark = evidence.mark("after") else { return .missing("end of the hundred") }
        let left = evidence.requests.filter { request in
            request.ending == .abandoned && (request.endedNanoseconds ?? Int.max) <= mark.time + 1_000_000_000
                && (request.seconds ?? .infinity) < prompt
        }
        let errors = evidence.count("error", error)
        // A request that was cancelled before it was sent does not reach the origin.
        return .decide(
            left.count == evidence.requests.count && left.count >= 50 && errors == 100,
            "\(left.count) of \(evidence.requests.count) clients left before \(ObservationText.seconds(prompt)); "
                + "\(errors) of 100 callers got \(error)")
    }

    static func allReturned(_ evidence: Evidence) -> Observation {
        let returned = evidence.facts.count { $0.name == "error" }
        let right = evidence.count("error", "-999") + evidence.count("error", "none")
        return .decide(
            returned == 100 && right == 100 && evidence.mark("after") != nil,
            "\(returned) of 100 calls returned, \(right) of them cancelled or complete; the origin saw "
                + ObservationText.count(evidence.requests.count, "request"))
    }

    private static let large = 64 << 20

    static let clientDefaults = [
        Behaviour(
            "get-limit-ahc", path: APIName.client,
            promise: "get(url:), for which no limit is set, refuses a body of 64 MiB.",
            documented: .client(
                "Sources/AsyncHTTPClient/HTTPHandler.swift", 558, says: "the limit is 2^32 bytes by default"),
            flaw: Flaw(
                .hazard, cause: "HTTPHandler.swift:563: the accumulator of get and execute takes up to 4 GiB",
                upstream: [.client(332, .open), .client(637, .merged, "made the limit a setting")],
                workaround: .row("accumulator-limit-ahc", "execute with a ResponseAccumulator of a maxBodySize")),
            observe: refusedLarge),
        Behaviour(
            "accumulator-limit-ahc", path: APIName.client,
            promise: "A ResponseAccumulator with a maxBodySize of 1 MiB refuses a body of 64 MiB.",
            documented: .client("Sources/AsyncHTTPClient/HTTPHandler.swift", 568), observe: refusedLarge),
        Behaviour(
            "redirects-default-ahc", path: APIName.client,
            promise: "A client with default settings follows 3 redirects to the body.",
            documented: .redirectLimit
        ) { evidence in
            let redirects = evidence.requests.count { $0.status == 302 }
            let body = evidence.requests(to: "/bytes/1KiB").count
            let delivered = evidence.fact("delivered") ?? "0"
            return .decide(
                redirects == 3 && body == 1 && delivered == "1024",
                "\(redirects) redirects answered, the body was asked for \(ObservationText.count(body, "time")), "
                    + "\(delivered) bytes delivered")
        },
    ]

    private static func refusedLarge(_ evidence: Evidence) -> Observation {
        guard let request = evidence.requests(to: "/bytes/64MiB").first else { return .missing("large body") }
        let (delivered, error) = (evidence.fact("delivered") ?? "0", evidence.fact("error") ?? "none")
        return .decide(
            delivered == "0" && error != "none" && request.bytesSent.rawValue < large,
            "\(ObservationText.mebibytes(request.bytesSent.rawValue)) sent, \(delivered) bytes delivered, error \(error)"
        )
    }
}
