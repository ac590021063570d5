// SPDX-License-Identifier: Apache-2.0

/// The known reason why a promise is not kept.
package struct Flaw: Hashable, Sendable {
    /// The words that it is observed as: more than one if chance decides.
    package var words: [Word]
    /// The cause in the released sources, in one line.
    package var cause: String
    /// The issue or pull request and its state; `nil` if none was found.
    package var upstream: String?

    package init(_ words: Word..., cause: String, upstream: String? = nil) {
        self.words = words
        self.cause = cause
        self.upstream = upstream
    }

    package var upstreamText: String { upstream ?? "none found" }
}
