// SPDX-License-Identifier: Apache-2.0

/// A program of one file that shows whether a promise of URLSession is kept, for bug reports.
///
/// Its first argument is the base URL of an origin. It calls the API as a user would, prints one line
/// `expected: …; got: …`, and exits with 0 if the promise is kept and with 1 if not. A promise that is broken by a trap
/// or a hang shows itself.
package struct MinimalProgram: Sendable {
    /// The name of the behaviour.
    package let row: String
    /// The source; it ends with a line break.
    package let source: String
    /// True for a program of which the compiler alone is asked, because the API is missing.
    package let isSnippet: Bool
    /// True if its second argument is the base URL of the origin over TLS.
    package var isOverTLS: Bool { BehaviourCatalog.all.contains { $0.name == row && $0.isOverTLS } }

    package init(_ row: String, source: String) {
        self.row = row
        self.source = source
        isSnippet = false
    }

    /// Creates the program of a behaviour, or returns `nil` if it has none.
    package init?(for behaviour: Behaviour) {
        if case .snippet(let snippet) = behaviour.attempt {
            (row, source, isSnippet) = (behaviour.name, snippet.source, true)
        } else {
            guard let program = Self.all.first(where: { $0.row == behaviour.name }) else { return nil }
            self = program
        }
    }

    /// All programs but those of missing APIs, which are the snippets of their behaviours.
    package static let all = [
        slowConsumers, resume, timeouts, requests, delivery, answers, mainThread, lostConnections, sessions, tasks,
        challenges, answerForms, tls,
    ].flatMap(\.self)
}
