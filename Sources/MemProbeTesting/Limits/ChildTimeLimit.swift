// SPDX-License-Identifier: Apache-2.0

import Texts

/// How long a process of a test with limits may take, and who said so.
package struct ChildTimeLimit: Hashable, Sendable {
    /// A limit that no process can be given.
    package struct Fault: Error, Hashable, CustomStringConvertible {
        package let timeLimit: Duration

        package var description: String {
            "invalid timeLimit: \(timeLimit): expected more than 0 and at most \(ChildTimeLimit.most) s"
        }
    }

    private enum Source: Hashable { case usual, test, trait }

    /// Long enough for what a test does with memory, and short enough that one that hangs is noticed.
    private static let usual = 60
    private static let most = 604_800
    /// What a process may take beyond the time limit of its test: the library in it ends the test itself, and says where.
    private static let grace = 30

    /// After how many seconds the process is killed.
    package let seconds: Int
    private let source: Source

    /// The trait's own limit; where it has none, a little more than the test's; where that has none, the usual one.
    package init(trait: Duration?, test: Duration?) throws(Fault) {
        guard let trait else {
            seconds = test.map { Self.whole($0) + Self.grace } ?? Self.usual
            source = test == nil ? .usual : .test
            return
        }
        guard trait > .zero, trait <= .seconds(Self.most) else { throw Fault(timeLimit: trait) }
        seconds = Self.whole(trait)
        source = .trait
    }

    /// Where the limit comes from, and how to set another one.
    package var words: String {
        switch source {
        case .usual:
            "the default time limit; set another with timeLimit: of the trait, such as timeLimit: .seconds(300)"
        case .test: "the test's .timeLimit and \(Self.grace) s more"
        case .trait: "timeLimit: of the trait"
        }
    }

    private static func whole(_ duration: Duration) -> Int {
        let (seconds, rest) = duration.components
        return Int(seconds) + (rest > 0 ? 1 : 0)
    }
}
