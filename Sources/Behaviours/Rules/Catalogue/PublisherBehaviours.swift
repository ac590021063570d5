// SPDX-License-Identifier: Apache-2.0

import MemProbe
import Origin

extension BehaviourCatalog {
    /// The start and end of a publisher's request, and the subscribers that get its body.
    static let publishers = [
        Behaviour(
            "demand-starts", path: APIName.combine,
            promise: "A subscriber's demand starts the request, and not its subscription.", documented: nil
        ) { started($0, before: 0, requests: 1, files: ["body"]) },
        Behaviour(
            "future-begins", path: APIName.combine,
            promise: "A Future of a data task begins when it is created, and asks once for two later subscribers.",
            documented: nil
        ) { started($0, before: 1, requests: 1, files: pair) },
        Behaviour(
            "deferred-future", path: APIName.combine,
            promise: "Deferred makes a Future for each of two subscribers, and asks for nothing before.",
            documented: .apple("Deferred", "combine/deferred")
        ) { started($0, before: 0, requests: 2, files: pair) },
        Behaviour(
            "connect-starts", path: APIName.combine,
            promise: "connect() starts the request of a connectable publisher, once for two subscribers.",
            documented: .apple("ConnectablePublisher", "combine/connectablepublisher")
        ) { started($0, before: 0, requests: 1, files: pair) },
        Behaviour(
            "share-connect", path: APIName.combine,
            promise: "share().makeConnectable() asks once for two subscribers, when it is connected.",
            documented: .apple("Publisher.makeConnectable()", "combine/publisher/makeconnectable()")
        ) { started($0, before: 0, requests: 1, files: pair) },
        Behaviour(
            "multicast", path: APIName.combine,
            promise: "multicast(_:) asks once for two subscribers, when it is connected.",
            documented: .apple("Publisher.multicast(_:)", "combine/publisher/multicast(_:)")
        ) { started($0, before: 0, requests: 1, files: pair) },
        Behaviour(
            "subject-subscribe", path: APIName.combine,
            promise: "A PassthroughSubject passes the body of one request on to two subscribers.",
            documented: .apple("PassthroughSubject", "combine/passthroughsubject")
        ) { delivered($0, requests: 1, files: pair) },
        Behaviour(
            "published-assign", path: APIName.combine,
            promise: "assign(to:) republishes the body through a @Published property.",
            documented: .apple("Publisher.assign(to:)", "combine/publisher/assign(to:)")
        ) { delivered($0, requests: 1, files: ["body"]) },
        Behaviour(
            "share-unlike", path: APIName.combine,
            promise: "share() loads once for two subscribers that make different things of the body.",
            documented: .apple("Publisher.share()", "combine/publisher/share()")
        ) { evidence in
            // The count of bytes as text, 65536, has five of them.
            guard evidence.file("count")?.bytes == 5 else {
                return Observation(.broken, "the second subscriber did not get the count of the first one's bytes")
            }
            return delivered(evidence, requests: 1, files: ["first"])
        },
        Behaviour(
            "share-late", path: APIName.combine,
            promise: "A subscriber of share() that comes after the answer gets its end, without a body or a request.",
            documented: nil, observe: late),
        Behaviour(
            "publisher-cancel", path: APIName.combine,
            promise: "Cancelling the subscription of a data task's publisher ends the request, 20 times of 20.",
            documented: .apple("Cancellable.cancel()", "combine/cancellable/cancel()"), observe: left),
        Behaviour(
            "publisher-cancel-download", path: APIName.combine,
            promise: "Cancelling the subscription of a download publisher (ours) ends the request, 20 times of 20.",
            documented: .apple("Cancellable.cancel()", "combine/cancellable/cancel()"), observe: left),
        Behaviour(
            "cancellable-dropped", path: APIName.combine,
            promise: "Letting go of an AnyCancellable ends the request, 20 times of 20.",
            documented: .apple("AnyCancellable", "combine/anycancellable"), observe: left),
        Behaviour(
            "subscription-kept", path: APIName.combine,
            promise: "A subscriber that keeps its subscription is let go of when it has had its end.", documented: nil,
            flaw: Flaw(
                .hazard,
                cause:
                    "Publishers.Map.swift:265 (OpenCombine): the subscription that tryMap makes keeps its subscriber for "
                    + "ever, so the two hold each other, and what either holds; receive(on:) has the same line",
                workaround: .row("subscription-let-go", "set the subscription to nil in receive(completion:)"))
        ) { gone($0, "kept") },
        Behaviour(
            "subscription-let-go", path: APIName.combine,
            promise: "Workaround: a subscriber that lets go of its subscription at its end is let go of, too.",
            documented: nil, attempt: .probe("subscription-kept")
        ) { gone($0, "let-go") },
    ]

    private static let size = 64 << 10
    private static let pair = ["first", "second"]

    /// Requires so many requests before the start and in all, and the right body in each of the files.
    private static func started(
        _ evidence: Evidence, before: Int, requests: Int, files: [String]
    ) -> Observation {
        guard let mark = evidence.mark("waiting") else { return .missing("mark before the start") }
        let delivery = delivered(evidence, requests: requests, files: files)
        return .decide(
            mark.requests == before && delivery.word == .holds,
            "\(ObservationText.count(mark.requests, "request")) before the start; \(delivery.detail)")
    }

    private static func delivered(_ evidence: Evidence, requests: Int, files: [String]) -> Observation {
        let arrived = files.count { Expected.matches(evidence.file($0), bytes: size) }
        return .decide(
            evidence.requests.count == requests && arrived == files.count,
            "\(ObservationText.count(evidence.requests.count, "request")) in all, "
                + "\(arrived) of \(ObservationText.count(files.count, "subscriber")) got the body")
    }

    private static func gone(_ evidence: Evidence, _ subscriber: String) -> Observation {
        guard let seen = evidence.fact(subscriber) else { return .missing("end of the subscriber") }
        return .decide(seen == "gone", "half a second after its end the subscriber was \(seen)")
    }

    private static func late(_ evidence: Evidence) -> Observation {
        let ended = evidence.fact("second") == "ended"
        let bytes = evidence.file("second")?.bytes ?? 0
        let first = Expected.matches(evidence.file("first"), bytes: size)
        return .decide(
            evidence.requests.count == 1 && first && ended && bytes == 0,
            "\(ObservationText.count(evidence.requests.count, "request")); the late subscriber got \(bytes) bytes and "
                + (ended ? "its end" : "no end"))
    }

    /// Requires that each client left before the mark, a second after the last one was told to.
    private static func left(_ evidence: Evidence) -> Observation {
        guard let mark = evidence.mark("after") else { return .missing("end of the twenty") }
        let left = evidence.requests.count {
            $0.ending == .abandoned && ($0.endedNanoseconds ?? Int.max) <= mark.time
        }
        // A request that was cancelled before it was sent does not reach the origin.
        return .decide(
            left == evidence.requests.count && left >= 10,
            "\(left) of \(ObservationText.count(evidence.requests.count, "client")) had left a second later")
    }

    static let publisherFailures = [
        Behaviour(
            "retry-reset", path: APIName.combine,
            promise: "retry(2) asks three times in all where the connection is reset.",
            documented: .apple("Publisher.retry(_:)", "combine/publisher/retry(_:)")
        ) { evidence in
            let cut = evidence.requests.count { $0.ending == .cut }
            let error = evidence.fact("error") ?? "none"
            return .decide(
                cut == 3 && evidence.requests.count == 3 && error != "none",
                "\(cut) answers were reset; the caller got error \(error)")
        },
        Behaviour(
            "retry-post", path: APIName.combine,
            promise: "By construction: retry(2) sends a POST three times in all, with its body.", documented: nil
        ) { evidence in
            let posts = evidence.requests.count { $0.method == "POST" && $0.bytesReceived == ByteCount(5) }
            return .decide(
                posts == 3 && evidence.requests.count == 3,
                "\(posts) of \(ObservationText.count(evidence.requests.count, "request")) were the POST with its body")
        },
        Behaviour(
            "catch-session", path: APIName.combine,
            promise: "catch asks again with a second session after the first one's connection was reset.",
            documented: .apple("Publisher.catch(_:)", "combine/publisher/catch(_:)"), observe: caught),
        Behaviour(
            "decode-error", path: APIName.combine,
            promise: "A body that cannot be decoded is an error that replaceError(with:) replaces.",
            documented: .apple("Publisher.decode(type:decoder:)", "combine/publisher/decode(type:decoder:)")
        ) { evidence in
            let error = evidence.fact("error") ?? "none"
            let bytes = evidence.file("body")?.bytes ?? 0
            return .decide(
                error == "DecodingError" && bytes == 7,
                "the error was \(error), \(bytes) of 7 bytes of the replacement arrived")
        },
        Behaviour(
            "timeout-operator", path: APIName.combine,
            promise: "timeout(1 s) gives its error to the subscriber, and ends the request.",
            documented: .apple(
                "Publisher.timeout(_:scheduler:options:customError:)",
                "combine/publisher/timeout(_:scheduler:options:customerror:)"),
            observe: timedOut),
        Behaviour(
            "sign-in-again", path: APIName.combine,
            promise: "A publisher that gets a 401 can catch it, and ask again with credentials.", documented: nil,
            flaw: unreported
        ) { evidence in
            guard evidence.fact("other-error") == "none" else { return .missing("answer to the other request") }
            let statuses = evidence.requests(to: "/auth/basic").map { "\($0.status ?? 0)" }
            let isIn = statuses == ["401", "200"] && evidence.fact("delivered") != nil
            return .decide(
                isIn, else: .hangs,
                "answered \(statuses.joined(separator: ", ")); "
                    + (isIn ? "the body arrived" : "nothing had arrived after 3 s, with a time-out of 2 s"))
        },
        Behaviour(
            "publisher-values", path: APIName.combine, promise: "A for-await loop over values gets the body.",
            documented: .apple("Publisher.values", "combine/publisher/values-1dm9r")
        ) { evidence in
            let arrived = Expected.matches(evidence.file("body"), bytes: 64 << 10)
            return .decide(
                evidence.requests.count == 1 && arrived,
                "\(ObservationText.count(evidence.requests.count, "request")); the body "
                    + (arrived ? "arrived" : "did not arrive"))
        },
        Behaviour(
            "receive-on-main", path: APIName.combine, promise: "receive(on:) delivers on the main operation queue.",
            documented: .apple("Publisher.receive(on:options:)", "combine/publisher/receive(on:options:)")
        ) { onMain($0, "on-queue", "the main queue") },
        Behaviour(
            "receive-on-dispatch-main", path: APIName.combine, promise: "receive(on:) delivers on DispatchQueue.main.",
            documented: .apple("Publisher.receive(on:options:)", "combine/publisher/receive(on:options:)")
        ) { onMain($0, "on-queue", "the main queue") },
        Behaviour(
            "receive-on-main-thread", path: APIName.main, promise: "The main queue runs on the main thread.",
            documented: .apple("DispatchQueue.main", "dispatch/dispatchqueue/main"),
            attempt: .probe("receive-on-main"),
            flaw: Flaw(
                .broken, cause: dispatchMain + "the main thread ends, and another one serves the main queue",
                upstream: [
                    UpstreamIssue("swiftlang/swift", 90851, .open),
                    UpstreamIssue("swiftlang/swift-corelibs-libdispatch", 846, .open, "on Windows"),
                ],
                workaround: .row("receive-on-main", "ask for the queue instead of the thread"))
        ) { onMain($0, "main-thread", "the main thread") },
        Behaviour(
            "receive-on-run-loop", path: APIName.combine, promise: "receive(on:) delivers on the main run loop.",
            documented: .apple("Publisher.receive(on:options:)", "combine/publisher/receive(on:options:)"),
            flaw: runLoop, observe: onRunLoop),
        Behaviour(
            "main-run-loop", path: APIName.main,
            promise: "A block that a data task's handler passes to the main run loop is run.",
            documented: .apple("RunLoop.perform(_:)", "foundation/runloop/perform(_:)"), flaw: runLoop,
            observe: onRunLoop),
    ]

    /// Read on the main branch: the released file was not at hand.
    private static let dispatchMain =
        "DispatchExecutor.swift:38 (swiftlang/swift, main branch): an async main ends in dispatchMain(); on Linux "

    private static let runLoop = Flaw(
        .hangs, cause: dispatchMain + "nothing runs the main run loop, so neither its blocks nor its timers",
        upstream: [UpstreamIssue("swiftlang/swift-testing", 997, .open, "the same in tests")],
        workaround: .row("receive-on-main", "the main queue: OperationQueue.main or DispatchQueue.main"))

    private static func caught(_ evidence: Evidence) -> Observation {
        let sessions = evidence.requests.map { $0.headers["x-session"] ?? "none" }
        let arrived = Expected.matches(evidence.file("body"), bytes: 64 << 10)
        return .decide(
            sessions == ["first", "second"] && evidence.requests.first?.ending == .cut && arrived,
            "the sessions that asked: \(sessions.joined(separator: ", ")); the body "
                + (arrived ? "arrived" : "did not arrive"))
    }

    private static func timedOut(_ evidence: Evidence) -> Observation {
        guard let mark = evidence.mark("after"), let request = evidence.requests.first else {
            return .missing("end of the wait")
        }
        let left = request.ending == .abandoned && (request.endedNanoseconds ?? Int.max) <= mark.time
        let error = evidence.fact("error") ?? "none"
        return .decide(
            left && (request.seconds ?? 0) >= 0.8 && error == "-1001" && evidence.requests.count == 1,
            "the client \(left ? "left after \(ObservationText.seconds(request.seconds))" : "stayed"), "
                + "error \(error)")
    }

    private static func onMain(_ evidence: Evidence, _ fact: String, _ place: String) -> Observation {
        guard evidence.file("body") != nil, let value = evidence.fact(fact) else { return .missing("delivered body") }
        return .decide(
            value == "true" && evidence.requests.count == 1,
            "1 request, delivered \(value == "true" ? "on" : "beside") \(place)")
    }

    private static func onRunLoop(_ evidence: Evidence) -> Observation {
        guard evidence.fact("other-error") == "none", let received = evidence.fact("received") else {
            return .missing("answer to the other request")
        }
        let complete = evidence.requests.count { $0.ending == .complete }
        return .decide(
            received == "true" && complete == 2, else: .hangs,
            "\(complete) answers complete; " + (received == "true" ? "both arrived" : "one had not arrived after 3 s"))
    }
}
