// SPDX-License-Identifier: Apache-2.0

/// What became of a promise, in one word: what `--expect` compares.
package enum Word: String, Codable, Hashable, Sendable, CaseIterable {
    case holds
    /// It is not kept.
    case broken
    /// There is nothing on this platform that could keep it.
    case absent
    /// What has nothing to do with the consumer has to wait for it.
    case blocks
    /// The caller is never told.
    case hangs
    /// Nothing of the process goes on.
    case deadlocks
    /// A signal of the process's own making ended it.
    case traps
    /// Nobody promised otherwise, and data suffers.
    case hazard
    /// Nothing was found out; the detail says why.
    case notTried = "not tried"

    /// What the word means, for the head of a table.
    package var meaning: String {
        switch self {
        case .holds: "the promise was kept"
        case .broken: "the API is there, and did something else"
        case .absent: "nothing in this toolchain could keep it: not declared, a stub, or left out of the build"
        case .blocks: "what has nothing to do with a consumer waited until that consumer was done, and went on then"
        case .hangs: "the caller was never told anything, while other requests of the same session were answered"
        case .deadlocks: "nothing in the process went on; it was killed at its time limit"
        case .traps: "the process was ended by a signal of its own making"
        case .hazard: "no documentation promises otherwise, and whoever takes it for granted gets wrong data"
        case .notTried: "nothing was found out; the row says why"
        }
    }
}
