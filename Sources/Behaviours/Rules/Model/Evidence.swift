// SPDX-License-Identifier: Apache-2.0

package import MemProbe
package import Origin
package import ProbeProtocol

/// All that is known about one attempt: a plain value, so that tests can make it up.
package struct Evidence: Codable, Hashable, Sendable {
    package var requests: [RequestRecord]
    package var marks: [Reading]
    package var files: [SeenFile]
    package var facts: [Fact]
    package var ending: Ending
    /// The reason of the ending, from the child's standard error.
    package var complaint: String
    /// The lifetime of the child, in nanoseconds.
    package var duration: Int
    /// The first line of the compiler's version, or `nil` if none was used.
    package var compiler: String?

    package init(
        requests: [RequestRecord] = [], marks: [Reading] = [], files: [SeenFile] = [], facts: [Fact] = [],
        ending: Ending = .exited(0), complaint: String = "", duration: Int = 0, compiler: String? = nil
    ) {
        (self.requests, self.marks, self.files, self.facts) = (requests, marks, files, facts)
        (self.ending, self.complaint, self.duration) = (ending, complaint, duration)
        self.compiler = compiler
    }
}

extension Evidence {
    package func fact(_ name: String) -> String? { facts.last { $0.name == name }?.value }

    package func count(_ name: String, _ value: String) -> Int {
        facts.count { $0.name == name && $0.value == value }
    }

    package func mark(_ name: String) -> Reading? { marks.last { $0.mark == name } }

    package func file(_ name: String) -> SeenFile? { files.first { $0.name == name } }

    package func requests(to path: String) -> [RequestRecord] {
        requests.filter { $0.path == path }
    }

    package var requestCount: Int { max(requests.count, marks.map(\.requests).max() ?? 0) }

    /// The largest number of requests that were being answered at the same time.
    package var mostConcurrent: Int {
        // An end sorts before a beginning at the same instant, so that a reused connection is not counted twice.
        let edges = requests.flatMap { [($0.beganNanoseconds, 1), ($0.endedNanoseconds ?? Int.max, -1)] }
            .sorted { ($0.0, $0.1) < ($1.0, $1.1) }
        var now = 0
        return edges.reduce(into: 0) { most, edge in
            now += edge.1
            most = max(most, now)
        }
    }

    /// The bytes of bodies that the origin's kernel took.
    package var bytesSent: Int { requests.reduce(0) { $0 + $1.bytesSent.rawValue } }
}

extension RequestRecord {
    /// The seconds until the client left, or `nil` if it had not.
    var seconds: Double? { endedNanoseconds.map { Double($0 - beganNanoseconds) / 1e9 } }
}

package struct Flaw: Hashable, Sendable {
    package var words: [Verdict]
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
        (self.words, self.cause, self.upstream) = (words, cause, upstream)
        (self.fixedIn, self.workaround) = (fixedIn, workaround)
    }
}

/// An issue or a pull request of a repository on GitHub.
package struct UpstreamIssue: Codable, Hashable, Sendable {
    package enum State: String, Codable, Hashable, Sendable {
        case open, closed, merged
    }

    package var repository: String
    package var number: Int
    package var state: State
    package var note: String?

    package init(_ repository: String, _ number: Int, _ state: State, _ note: String? = nil) {
        (self.repository, self.number, self.state) = (repository, number, state)
        self.note = note
    }

    /// The short form: `swift-corelibs-foundation#3204`.
    package var reference: String { "\(repository.split(separator: "/").last ?? "")#\(number)" }

    /// The address, from which GitHub redirects to pull requests.
    package var link: String { "https://github.com/\(repository)/issues/\(number)" }

    package var stateText: String { "(\(state.rawValue)\(note.map { ", \($0)" } ?? ""))" }
}

package struct Workaround: Codable, Hashable, Sendable {
    package static let none = Workaround(row: nil, text: "none")

    package var row: String?
    package var text: String

    package static func row(_ name: String, _ text: String) -> Workaround { Workaround(row: name, text: text) }

    package static func untried(_ text: String) -> Workaround { Workaround(row: nil, text: text) }
}

package struct SeenFile: Codable, Hashable, Sendable {
    package var name: String
    package var bytes: Int
    package var sha256: String?

    package init(name: String, bytes: Int, sha256: String? = nil) {
        (self.name, self.bytes, self.sha256) = (name, bytes, sha256)
    }
}
