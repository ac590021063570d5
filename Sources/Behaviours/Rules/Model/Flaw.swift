// SPDX-License-Identifier: Apache-2.0

/// The known reason why a promise is not kept.
package struct Flaw: Hashable, Sendable {
    /// The words that it is observed as: more than one if chance decides.
    package var words: [Verdict]
    /// The cause in the released sources, in one line.
    package var cause: String
    /// The issues and pull requests with their states; empty if none was found.
    package var upstream: [UpstreamIssue]
    /// The first release with a fix, or `main`; `nil` if there is none.
    ///
    /// A fix shows that upstream accepted the fault.
    package var fixedIn: String?
    package var workaround: Workaround

    package init(
        _ words: Verdict..., cause: String, upstream: [UpstreamIssue] = [], fixedIn: String? = nil,
        workaround: Workaround
    ) {
        self.words = words
        self.cause = cause
        self.upstream = upstream
        self.fixedIn = fixedIn
        self.workaround = workaround
    }
}

/// An issue or a pull request of a repository on GitHub.
package struct UpstreamIssue: Codable, Hashable, Sendable {
    package enum State: String, Codable, Hashable, Sendable {
        case open, closed, merged
    }

    /// The owner and the name.
    package var repository: String
    package var number: Int
    package var state: State
    /// The part that it plays: `introduced it`.
    package var note: String?

    package init(_ repository: String, _ number: Int, _ state: State, _ note: String? = nil) {
        self.repository = repository
        self.number = number
        self.state = state
        self.note = note
    }

    /// The short form: `swift-corelibs-foundation#3204`.
    package var reference: String { "\(repository.split(separator: "/").last ?? "")#\(number)" }

    /// The address, from which GitHub redirects to pull requests.
    package var link: String { "https://github.com/\(repository)/issues/\(number)" }

    /// The state and the note in brackets: `(closed, not done)`.
    package var stateText: String { "(\(state.rawValue)\(note.map { ", \($0)" } ?? ""))" }
}

/// A way to get the promised result all the same.
package struct Workaround: Codable, Hashable, Sendable {
    package static let none = Workaround(row: nil, text: "none")

    /// The behaviour that tries it, or `nil` if no row does.
    package var row: String?
    package var text: String

    /// Returns a workaround that a row tries.
    package static func row(_ name: String, _ text: String) -> Workaround { Workaround(row: name, text: text) }

    /// Returns a workaround that no row tries.
    package static func untried(_ text: String) -> Workaround { Workaround(row: nil, text: text) }
}
