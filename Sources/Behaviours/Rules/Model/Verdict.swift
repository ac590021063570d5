// SPDX-License-Identifier: Apache-2.0

/// The outcome of a promise in one word, which `--expect` compares.
package enum Verdict: String, Codable, Hashable, Sendable, CaseIterable {
    case holds
    case asItIs = "as it is"
    case broken, absent, blocks, hangs, deadlocks, traps, hazard
    case notTried = "not tried"

    /// The meaning of the word, for the head of a table.
    package var meaning: String {
        switch self {
        case .holds: "a documented promise was kept"
        case .asItIs: "observed as described; no documentation promises it"
        case .broken: "against a document, or a fault that upstream accepted: the API is there, and did something else"
        case .absent: "nothing in this toolchain could keep it: not declared, a stub, or left out of the build"
        case .blocks: "unrelated work waited until a slow consumer returned"
        case .hangs: "the caller received no callback, while other requests of the same session completed"
        case .deadlocks: "nothing in the process went on; it was killed at its time limit"
        case .traps: "the process crashed"
        case .hazard: "no documentation promises it, and code that relies on it gets wrong data or a failure"
        case .notTried: "nothing was found out; the row says why"
        }
    }

    /// True if the behaviour was observed as described.
    package var isKept: Bool { self == .holds || self == .asItIs }
}
