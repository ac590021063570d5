// SPDX-License-Identifier: Apache-2.0

/// The promises that are tried.
///
/// To add one, write a probe in its group's file under `Behaviours/Probes`, which calls the API and judges nothing; a
/// ``Behaviour`` of the same name in the group's file here, which judges by what the origin, the kernel or else the
/// caller saw, and names the document that promises it; and in the tests two pieces of evidence, one that holds and one that does not: a test demands them.
/// A behaviour of URLSession with a flaw needs a ``MinimalProgram``, too, which shows the fault in a bug report.
package enum BehaviourCatalog {
    /// All promises, in the order of reports.
    package static let all: [Behaviour] = [
        backPressure, resume, timeouts, connections, cancel, delivery, delegates, http, combine, platform,
        configurations, sessions, urlTasks, lengths, customProtocols, clientDefaults,
        publishers, publisherFailures, taskTrees, lostConnections, challenges,
        answerForms, tls,
    ].flatMap(\.self)

    /// The behaviours of the harness itself, for its tests.
    package static let hidden: [Behaviour] = [
        Behaviour(
            "hang", path: "the harness", promise: "A child that hangs is killed.", documented: harness, seconds: 2,
            observe: ended),
        Behaviour(
            "trap", path: "the harness", promise: "A child that traps is noticed.", documented: harness, seconds: 10,
            observe: ended),
        // The harness itself waits four times 0.7 s, which does not count.
        Behaviour(
            "settle", path: "the harness", promise: "A child that waits for the harness is not killed.",
            documented: harness, seconds: 2,
            silenceAnswers: true
        ) { evidence in
            .decide(evidence.marks.count == 4, "\(evidence.marks.count) of 4 marks were read")
        },
        Behaviour(
            "give-up", path: "the harness", promise: "A child that gives up is noticed.", documented: harness,
            seconds: 10, observe: ended),
    ]

    private static let harness = Documentation("the harness", link: "CONTRIBUTING.md")

    private static func ended(_ evidence: Evidence) -> Observation { Observation(.holds, "it ended") }
}
