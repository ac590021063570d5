// SPDX-License-Identifier: Apache-2.0

/// Every promise that is tried.
///
/// To add one: write a probe in the file of its group under `Behaviours/Probes` (it calls the API and judges nothing), a
/// ``Behaviour`` of the same name in the group's file here (it judges by what the origin and the kernel saw and,
/// where neither can see it, by what the caller reports), and in the tests two pieces of evidence, one that holds and one that does not: a test fails until they are there.
package enum BehaviourCatalog {
    /// All promises, in the order in which they are shown.
    package static let all: [Behaviour] = [
        backPressure, resume, timeouts, connections, cancel, delivery, delegates, http, combine, platform,
    ].flatMap(\.self)

    /// What only the tests of the harness name.
    package static let hidden: [Behaviour] = [
        Behaviour("hang", path: "the harness", promise: "A child that hangs is killed.", seconds: 2) { _ in
            Observation(.holds, "it ended")
        },
        Behaviour("trap", path: "the harness", promise: "A child that traps is noticed.", seconds: 10) { _ in
            Observation(.holds, "it ended")
        },
        // Four times 0.7 s of the harness's own.
        Behaviour(
            "settle", path: "the harness", promise: "A child that waits for the harness is not killed.", seconds: 2,
            silenceAnswers: true
        ) { evidence in
            .decide(evidence.marks.count == 4, "\(evidence.marks.count) of 4 marks were read")
        },
        Behaviour("give-up", path: "the harness", promise: "A child that gives up is noticed.", seconds: 10) { _ in
            Observation(.holds, "it ended")
        },
    ]
}
