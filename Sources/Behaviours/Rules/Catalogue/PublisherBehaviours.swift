// SPDX-License-Identifier: Apache-2.0

import Origin

extension BehaviourCatalog {
    /// What starts the request of a publisher, what ends it, and which subscribers get its body.
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

    /// Requires so many requests, and the right body in each of the files.
    private static func delivered(_ evidence: Evidence, requests: Int, files: [String]) -> Observation {
        let arrived = files.count { Expected.matches(evidence.file($0), bytes: size) }
        return .decide(
            evidence.requests.count == requests && arrived == files.count,
            "\(ObservationText.count(evidence.requests.count, "request")) in all, "
                + "\(arrived) of \(ObservationText.count(files.count, "subscriber")) got the body")
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
}
