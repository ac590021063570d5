// SPDX-License-Identifier: Apache-2.0

package struct CommandSettings: Codable, Hashable, Sendable {
    /// The number of discarded runs of each command before the measured ones.
    package var warmup = 0
    /// The path of the standard input file, or `nil` for none.
    package var input: String?
    /// True if a nonzero status or a signal does not make a run invalid.
    package var ignoresFailure = false
    package var limit: ByteCount?
    /// The time that what a command started may run after it, in seconds; `nil` for the standard of 0.2.
    package var childrenSeconds: Double?
    /// How processes are read; `nil` for the default.
    package var method: Method?
    package var reference: String?

    package enum Method: String, Codable, Hashable, Sendable, CaseIterable {
        /// At the end of each process, by `ptrace`, if the kernel allows it; otherwise by polling.
        case automatic
        /// By polling, for programs that use `ptrace` themselves.
        case polled
    }

    package init() {}

    private enum CodingKeys: String, CodingKey {
        case warmup, input, method, reference
        case ignoresFailure = "ignores_failure"
        case limit = "limit_bytes"
        case childrenSeconds = "children_seconds"
    }
}
