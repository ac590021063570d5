// SPDX-License-Identifier: Apache-2.0

/// The outcome of a trial: a value of the column `outcome`, with details.
package struct Outcome: Codable, Hashable, Sendable {
    package enum Kind: String, Codable, Hashable, Sendable, CaseIterable {
        /// The trial finished, with the expected body.
        case completed
        /// The fetch or the rendering failed, or the report was invalid.
        case failed
        /// The process ended by a signal, or with a nonzero exit status.
        case crashed
        /// The process was killed after its timeout.
        case timedOut = "timed_out"
        /// The process was killed because it, or its command, exceeded the memory limit.
        case overLimit = "over_limit"
        /// The body differs from the asset.
        case wrongBody = "wrong_body"
        /// A limit stopped it before anything was allocated.
        case rejected
    }
    package var kind: Kind
    /// A description; empty for completed trials.
    package var detail: String

    /// The description without its figures, the same for failures that differ only in them.
    package var cause: String { "\(kind.rawValue): " + detail.replacing(/[0-9][0-9.,]*/, with: "#") }

    package init(_ kind: Kind, _ detail: String = "") {
        self.kind = kind
        self.detail = detail
    }

    package static let completed = Outcome(.completed)
}
