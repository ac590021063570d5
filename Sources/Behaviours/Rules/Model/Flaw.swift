// SPDX-License-Identifier: Apache-2.0

/// Why a promise is known not to be kept, and where that is known.
package struct Flaw: Hashable, Sendable {
    /// The words that it shows as: more than one where it is chance which.
    package var words: [Word]
    /// Where in the released sources it comes from, in one line.
    package var cause: String
    /// The issue or the pull request, and how it stands; `nil` where none was found.
    package var upstream: String?

    package init(_ words: Word..., cause: String, upstream: String? = nil) {
        self.words = words
        self.cause = cause
        self.upstream = upstream
    }

    /// What stands in the column of the upstream numbers.
    package var upstreamText: String { upstream ?? "none found" }
}
