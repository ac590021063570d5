// SPDX-License-Identifier: Apache-2.0

package enum ProbeCatalog {
    /// All probes, including those that only test the harness.
    package static let all: [Probe] = [
        backPressure, resume, timeouts, connections, cancel, delivery, delegates, http, combine, harness,
        configurations, sessions, urlTasks, lengths, customProtocols, clientDefaults,
        publishers, publisherFailures, taskTrees, lostConnections, challenges,
        answerForms, tls,
    ].flatMap(\.self)

    package static func probe(named name: String) -> Probe? {
        all.first { $0.name == name }
    }
}
