// SPDX-License-Identifier: Apache-2.0

/// The outcome of a promise in one word, which `--expect` compares.
package enum Word: String, Codable, Hashable, Sendable, CaseIterable {
    case holds, broken, absent, blocks, hangs, deadlocks, traps, hazard
    case notTried = "not tried"

    /// The meaning of the word, for the head of a table.
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
