// SPDX-License-Identifier: Apache-2.0

import Texts

/// The time limit of a process that runs a test with limits, and its source.
package struct ChildTimeLimit: Hashable, Sendable {
    /// An invalid time limit.
    package struct Fault: Error, Hashable, CustomStringConvertible {
        package let timeLimit: Duration

        package var description: String {
            "invalid timeLimit: \(timeLimit): expected more than 0 and at most \(ChildTimeLimit.most) s"
        }
    }

    private enum Source: Hashable { case usual, test, trait }

    /// Enough for memory tests, and short enough to notice one that hangs.
    private static let usual = 60
    private static let most = 604_800
    /// The time after a test's own limit, at which the testing library ends the test itself and reports it.
    private static let grace = 30

    package let seconds: Int
    private let source: Source

    /// Uses the trait's limit, else slightly more than the test's, else the default.
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

    /// The source of the limit, and how to set another one.
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
