// SPDX-License-Identifier: Apache-2.0

/// The observation of a promise: one word, and the figures behind it.
package struct Observation: Codable, Hashable, Sendable {
    /// The word: always the same on one toolchain, unless chance decides.
    package var word: Verdict
    /// The figures as text; times and sizes may differ between runs.
    package var detail: String

    package init(_ word: Verdict, _ detail: String) {
        self.word = word
        self.detail = detail
    }

    /// Returns `holds` if the condition is true, and the given word otherwise.
    package static func decide(_ holds: Bool, else word: Verdict = .broken, _ detail: String) -> Observation {
        Observation(holds ? .holds : word, detail)
    }

    /// Returns `not tried`, because expected evidence is missing.
    static func missing(_ what: String) -> Observation {
        Observation(.notTried, "\(what) is missing")
    }
}
