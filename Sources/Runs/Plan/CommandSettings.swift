// SPDX-License-Identifier: Apache-2.0

package import MemProbe

/// How plain commands are run, beside what holds for every trial.
package struct CommandSettings: Codable, Hashable, Sendable {
    /// How many runs of each go before those that are measured; they count for nothing, and are not stored.
    package var warmup = 0
    /// The path of the file that each gets as its standard input, or `nil` for none.
    package var input: String?
    /// Whether a run that ended with a status or by a signal counts.
    package var ignoresFailure = false
    /// What no run may hold, or `nil`.
    package var limit: ByteCount?
    /// The title of the command that the others are compared with, or `nil` for the first one.
    package var reference: String?

    /// Creates the usual settings.
    package init() {}

    private enum CodingKeys: String, CodingKey {
        case warmup, input, reference
        case ignoresFailure = "ignores_failure"
        case limit = "limit_bytes"
    }
}
