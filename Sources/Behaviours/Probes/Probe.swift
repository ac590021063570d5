// SPDX-License-Identifier: Apache-2.0

/// The child's side of an attempt: makes the calls and reports what only the caller can see, without judging.
package struct Probe: Sendable {
    package let name: String
    /// True if its process ends with the exit handlers of all libraries, which are a part of what is tried.
    package let runsExitHandlers: Bool
    package let run: @Sendable (ProbeContext) async throws -> Void

    package init(
        _ name: String, runsExitHandlers: Bool = false, run: @escaping @Sendable (ProbeContext) async throws -> Void
    ) {
        self.name = name
        self.runsExitHandlers = runsExitHandlers
        self.run = run
    }
}

/// The reason why a probe could not make its attempt.
package struct ProbeError: Error, Hashable, Sendable, CustomStringConvertible {
    package var description: String

    package init(_ description: String) {
        self.description = description
    }
}
