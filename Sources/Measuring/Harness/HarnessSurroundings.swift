// SPDX-License-Identifier: Apache-2.0

package import Runs

/// What a session takes from the process it is done by: the command reads its own environment once, and passes this down.
package struct HarnessSurroundings: Sendable {
    /// The path of the command itself: it is the origin and the tracer, too.
    package var executable: String
    /// Makes the environment of the embedded origin, which finds its assets in the same place.
    ///
    /// Whoever starts no origin does without: it throws where there is no place for assets.
    package var originEnvironment: @Sendable () throws -> [String: String]
    /// What builds the environment of trials.
    package var variables: TrialVariables
    /// The environment of plain commands: the user's own.
    package var commandEnvironment: [String: String]
    /// The folder in which plain commands work: the user's own.
    package var workingDirectory: String
    /// The folder for temporary files that the user names, or the system's.
    package var temporaryDirectory: String
    /// What keeps credentials and the user's folders out of stored commands.
    package var redaction: RedactedCommand
    /// The same for commands that are printed to be run again: a shell puts the folders back.
    package var shellRedaction: RedactedCommand
    /// Looks at the machine, without a commit and a label.
    package var environment: @Sendable () -> MachineEnvironment
    /// The time in UTC, as ISO 8601.
    package var now: @Sendable () -> String
    /// Asks git for the state of the repository, where there is one.
    package var revision: @Sendable () async -> SourceRevision?

    /// Creates the surroundings.
    package init(
        executable: String, originEnvironment: @escaping @Sendable () throws -> [String: String],
        variables: TrialVariables, commandEnvironment: [String: String], workingDirectory: String,
        temporaryDirectory: String, redaction: RedactedCommand, shellRedaction: RedactedCommand,
        environment: @escaping @Sendable () -> MachineEnvironment, now: @escaping @Sendable () -> String,
        revision: @escaping @Sendable () async -> SourceRevision? = { nil }
    ) {
        self.revision = revision
        self.executable = executable
        self.originEnvironment = originEnvironment
        self.variables = variables
        self.commandEnvironment = commandEnvironment
        self.workingDirectory = workingDirectory
        self.temporaryDirectory = temporaryDirectory
        self.redaction = redaction
        self.shellRedaction = shellRedaction
        self.environment = environment
        self.now = now
    }

    /// A path as it is, of one that was stored with names in the place of the user's folders.
    func path(stored: String) -> String {
        let folders = [".": workingDirectory, "~": commandEnvironment["HOME"] ?? "~", "TMPDIR": temporaryDirectory]
        let parts = stored.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let folder = folders[String(parts[0])] else { return stored }
        return folder + "/" + parts[1]
    }
}
