// SPDX-License-Identifier: Apache-2.0

/// What was observed of a promise: one word, and the figures behind it.
package struct Observation: Codable, Hashable, Sendable {
    /// The word, which is the same each time on the same toolchain, unless it is chance.
    package var word: Word
    /// The figures in words; times and sizes in it may differ from one run to the next.
    package var detail: String

    package init(_ word: Word, _ detail: String) {
        self.word = word
        self.detail = detail
    }

    /// Holds where the condition does, and is broken elsewhere, or whatever else the word is for that.
    package static func decide(_ holds: Bool, else word: Word = .broken, _ detail: String) -> Observation {
        Observation(holds ? .holds : word, detail)
    }

    /// Nothing can be said: what should have been seen is missing.
    static func missing(_ what: String) -> Observation {
        Observation(.notTried, "there is no \(what)")
    }
}
