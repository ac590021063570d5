// SPDX-License-Identifier: Apache-2.0

/// How a trial ended: a word of the column `outcome`, and what happened.
package struct Outcome: Codable, Hashable, Sendable {
    /// The word.
    package enum Kind: String, Codable, Hashable, Sendable, CaseIterable {
        /// Everything was done and the body was right.
        case completed
        /// The fetch or the rendering failed, or the trial's answer was of no use.
        case failed
        /// The process ended by a signal, or with an exit status of its own.
        case crashed
        /// The process was killed because its time was over.
        case timedOut = "timed_out"
        /// The process was killed because it, or its command, held more memory than it may.
        case overLimit = "over_limit"
        /// A body arrived, and it was not the asset.
        case wrongBody = "wrong_body"
        /// A limit stopped it before anything was allocated.
        case rejected
    }

    /// The word.
    package var kind: Kind

    /// What happened, in words; empty where everything went well.
    package var detail: String

    /// Creates an outcome.
    package init(_ kind: Kind, _ detail: String = "") {
        self.kind = kind
        self.detail = detail
    }

    /// Everything was done and the body was right.
    package static let completed = Outcome(.completed)
}
