// SPDX-License-Identifier: Apache-2.0

/// What became of a promise, in one word: what `--expect` compares.
package enum Word: String, Codable, Hashable, Sendable, CaseIterable {
    /// It is kept.
    case holds
    /// It is not kept.
    case broken
    /// There is nothing on this platform that could keep it.
    case absent
    /// The process was still there when its time was over, and was killed.
    case deadlocks
    /// A signal of the process's own making ended it.
    case traps
    /// Nothing was found out; the detail says why.
    case notTried = "not tried"
}
