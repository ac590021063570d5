// SPDX-License-Identifier: Apache-2.0

import MemProbe
import Origin

extension Documentation {
    fileprivate static func evolution(_ number: String, _ title: String) -> Documentation {
        Documentation(
            "Swift, SE-\(number)",
            link: "https://github.com/swiftlang/swift-evolution/blob/main/proposals/\(number)-\(title).md")
    }

    fileprivate static let structured = evolution("0304", "structured-concurrency")
    fileprivate static let discarding = evolution("0381", "task-group-discard-results")
}

extension BehaviourCatalog {
    /// Child tasks that fetch by a completion handler: when they start, when they end, what they leave.
    static let taskTrees = [
        Behaviour(
            "group-starts", path: APIName.tasks,
            promise: "Children of a task group fetch when they are added, though their values are never asked for.",
            documented: nil, observe: unasked),
        Behaviour(
            "async-let-starts", path: APIName.tasks, promise: "async let fetches before its value is asked for.",
            documented: .evolution("0317", "async-let"), observe: unasked),
        Behaviour(
            "group-first-error", path: APIName.tasks,
            promise: "An error that leaves the body of a task group ends the requests of the other children.",
            documented: .structured, observe: othersLeft),
        Behaviour(
            "group-unread-error", path: APIName.tasks,
            promise: "An error of a child that the group does not ask for leaves the other children alone.",
            documented: .apple(
                "withThrowingTaskGroup", "swift/withthrowingtaskgroup(of:returning:isolation:body:)"),
            observe: othersStayed),
        Behaviour(
            "discarding-group-error", path: APIName.tasks,
            promise: "The first error in a discarding task group ends the requests of the other children.",
            documented: .discarding, observe: othersLeft),
        Behaviour(
            "parent-cancelled", path: APIName.tasks,
            promise: "Cancelling the task that holds a group ends the requests of all its children.",
            documented: .structured
        ) { evidence in
            let errors = evidence.count("error", "-999")
            return left(evidence, of: 5, and: errors == 5, "\(errors) of 5 children got -999")
        },
        Behaviour(
            "unstructured-task", path: APIName.tasks,
            promise: "A Task { } that was started in a cancelled task fetches to its end.", documented: .structured
        ) { evidence in
            let isRight = Expected.matches(evidence.file("body"), bytes: size)
            return .decide(
                evidence.requests.map(\.ending) == [.complete] && isRight,
                "the origin ended it as \(evidence.requests.first?.ending?.rawValue ?? "nothing"); the body is "
                    + (isRight ? "right" : "wrong"))
        },
        Behaviour(
            "group-of-five", path: APIName.tasks,
            promise: "By construction: ten answers over five connections, put back by index, keep their order.",
            documented: nil, observe: tenInOrder),
        Behaviour(
            "dictionary-by-url", path: APIName.tasks,
            promise: "By construction: a dictionary by URL keeps one answer for equal URLs, though each is requested.",
            documented: nil
        ) { evidence in
            let entries = evidence.fact("entries") ?? "no"
            return .decide(
                evidence.requests.count == 3 && entries == "2",
                "\(ObservationText.count(evidence.requests.count, "request")) for 2 URLs, \(entries) entries")
        },
        Behaviour(
            "group-keeps-results", path: APIName.tasks,
            promise: "A task group holds the bodies of its children until they are asked for.",
            documented: .discarding
        ) { held($0, isFull: true) },
        Behaviour(
            "discarding-group", path: APIName.tasks, promise: "A discarding task group holds no bodies.",
            documented: .discarding
        ) { held($0, isFull: false) },
        Behaviour(
            "continuation-data", path: APIName.data,
            promise: "A checked continuation over a data task returns the right body, 100 times of 100.",
            documented: nil
        ) { evidence in
            let returned = evidence.fact("returned") ?? "0"
            let isRight = evidence.fact("different") == "1" && Expected.matches(evidence.file("body"), bytes: size)
            return .decide(
                evidence.requests.count == 100 && returned == "100" && isRight,
                "\(returned) of \(ObservationText.count(evidence.requests.count, "request")) returned, "
                    + (isRight ? "all with the right body" : "not all with the right body"))
        },
        Behaviour(
            "cancel-continuation-fast", path: APIName.data,
            promise: "By hand: a continuation with a cancellation handler returns, cancelled at any instant.",
            documented: nil, seconds: 10, attempts: 5, observe: allReturned),
    ]

    private static let size = 64 << 10
    private static let large = 40 << 20
    private static let slowPath = "/bytes/8MiB"

    /// Requires that three requests were complete while nobody had asked for a value.
    private static func unasked(_ evidence: Evidence) -> Observation {
        guard let mark = evidence.mark("after") else { return .missing("mark before the values") }
        let complete = evidence.requests.count {
            $0.ending == .complete && ($0.endedNanoseconds ?? Int.max) <= mark.time
        }
        return .decide(
            complete == 3 && evidence.requests.count == 3,
            "\(complete) of 3 answers were complete before a value was asked for")
    }

    private static func othersLeft(_ evidence: Evidence) -> Observation {
        let error = evidence.fact("error") ?? "none"
        return left(evidence, of: 3, and: error != "none", "the caller got error \(error)")
    }

    /// Requires that the slow transfers had ended before the mark, a second after the children were cancelled.
    private static func left(_ evidence: Evidence, of count: Int, and holds: Bool, _ detail: String) -> Observation {
        guard let mark = evidence.mark("after") else { return .missing("mark after the error") }
        let slow = evidence.requests(to: slowPath)
        let left = slow.count { $0.ending == .abandoned && ($0.endedNanoseconds ?? Int.max) <= mark.time }
        return .decide(
            slow.count == count && left == count && holds, "\(left) of \(slow.count) clients had left; \(detail)")
    }

    private static func othersStayed(_ evidence: Evidence) -> Observation {
        guard let mark = evidence.mark("after") else { return .missing("mark after the error") }
        let failed = evidence.requests(to: "/faults/reset").count { ($0.endedNanoseconds ?? Int.max) <= mark.time }
        guard failed == 1 else { return .missing("failure before the mark") }
        let slow = evidence.requests(to: slowPath)
        let stayed = slow.count { ($0.endedNanoseconds ?? Int.max) > mark.time }
        return .decide(
            slow.count == 3 && stayed == 3,
            "\(stayed) of \(ObservationText.count(slow.count, "client")) stayed until the group was cancelled")
    }

    private static func tenInOrder(_ evidence: Evidence) -> Observation {
        guard evidence.requests.count == 10 else { return .missing("set of ten requests") }
        let file = evidence.file("body")
        let expected = joined(Array(1...10))
        let isOrdered = expected != nil && file?.sha256 == expected
        return .decide(
            isOrdered && evidence.mostConcurrent == 5,
            "\(evidence.mostConcurrent) requests at a time; the caller had them "
                + (isOrdered ? "in the order of the requests" : "in another order"))
    }

    /// Requires that the memory grew by three bodies, or by less than half of one, when they had arrived.
    private static func held(_ evidence: Evidence, isFull: Bool) -> Observation {
        let bodies = evidence.requests.count { $0.ending == .complete && $0.bytesSent == ByteCount(large) }
        guard let before = evidence.mark("before"), let after = evidence.mark("after"), bodies == 3 else {
            return .missing("set of three large bodies")
        }
        let growth = after.anonymousBytes - before.anonymousBytes
        return .decide(
            isFull ? growth >= large * 27 / 10 : growth < large / 2,
            "\(ObservationText.mebibytes(growth)) more than before, after three bodies of "
                + ObservationText.mebibytes(large))
    }
}
