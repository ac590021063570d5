// SPDX-License-Identifier: Apache-2.0

import Foundation
package import Runs
import Texts

/// What a command takes from the process that it is: read once, where that begins, and passed down.
package struct HarnessContext: Sendable {
    /// The words behind the name of the command.
    package let arguments: [String]
    /// The environment: the user's own.
    package let environment: [String: String]
    /// The path of the command itself: it is the origin and the tracer, too.
    package let executable: String
    /// The folder in which the command was started, and in which plain commands work.
    package let workingDirectory: String
    /// The number of the user.
    package let user: UInt32
    /// Whether standard error is a terminal, on which progress can be drawn.
    package let drawsProgress: Bool
    /// What is looked at again and again.
    package var outside: Outside
    /// What keeps credentials and the user's folders out of stored commands.
    package var redaction = RedactedCommand(folders: [:])
    /// The same for commands that are printed to be run again: a shell puts the folders back.
    package var shellRedaction = RedactedCommand(folders: [:])

    /// What is looked at again and again, each by a function that a test can replace.
    package struct Outside: Sendable {
        /// The time in UTC, as ISO 8601.
        package var now: @Sendable () -> String = { Date.now.formatted(.iso8601) }
        /// The machine, without a commit and a label, by the folder for temporary files.
        package var machine: @Sendable (String) -> MachineEnvironment = {
            EnvironmentProbe.environment(
                temporaryDirectory: $0, commit: nil, hasUncommittedChanges: nil, label: nil)
        }
        /// The state of the repository as git tells it, where there is one, by the environment that git gets.
        package var revision: @Sendable ([String: String]) async -> SourceRevision? = {
            await SourceRevision.current(environment: $0)
        }

        /// Creates the real ones.
        package init() {}
    }

    /// Keeps what was read.
    package init(
        arguments: [String], environment: [String: String], executable: String, workingDirectory: String,
        user: UInt32, drawsProgress: Bool, outside: Outside = Outside()
    ) {
        self.arguments = arguments
        self.environment = environment
        self.executable = executable
        self.workingDirectory = workingDirectory
        self.user = user
        self.drawsProgress = drawsProgress
        self.outside = outside
        redaction = redaction(work: ".", temporary: "TMPDIR", home: "~")
        shellRedaction = redaction(
            work: String(ShellFolder.work.rawValue), temporary: String(ShellFolder.temporary.rawValue),
            home: String(ShellFolder.home.rawValue))
    }

    private func redaction(work: String, temporary: String, home: String) -> RedactedCommand {
        // One after another: they may be the same folder.
        var folders = [temporaryDirectory: temporary]
        folders[workingDirectory] = work
        folders[environment["HOME"] ?? ""] = home
        return RedactedCommand(folders: folders)
    }

    /// The time in UTC, as ISO 8601.
    package func now() -> String { outside.now() }

    /// The machine as it is now, without a commit and a label.
    package func machine() -> MachineEnvironment { outside.machine(temporaryDirectory) }

    /// The state of the repository, where there is one.
    package func revision() async -> SourceRevision? { await outside.revision(environment) }
}

/// Folders and paths.
extension HarnessContext {
    /// The path from the root; trials work in a folder of their own.
    package func absolute(_ path: String) -> String {
        path.hasPrefix("/") ? path : workingDirectory + "/" + path
    }

    /// The path of a program that stands beside the command.
    package func neighbour(_ name: String) -> String { PathText.folder(of: executable) + "/" + name }

    /// The folder for temporary files that the user names, or the system's.
    package var temporaryDirectory: String {
        let named = environment["TMPDIR"] ?? ""
        return named.isEmpty ? "/tmp" : absolute(named)
    }

    /// Where assets are kept; the folder is made to find out.
    package func cacheFolder() throws(FetchBenchError) -> CacheFolder {
        try CacheFolder(
            named: environment["XDG_CACHE_HOME"], home: environment["HOME"], temporaryDirectory: temporaryDirectory,
            user: user)
    }

    /// A path as it is, of one that was stored with names in the place of the user's folders.
    func path(stored: String) -> String {
        let folders = [".": workingDirectory, "~": environment["HOME"] ?? "~", "TMPDIR": temporaryDirectory]
        let parts = stored.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let folder = folders[String(parts[0])] else { return stored }
        return folder + "/" + parts[1]
    }
}

/// What the processes that it starts get.
extension HarnessContext {
    /// What builds the environment of trials, whatever program they run in.
    package var variables: TrialVariables {
        TrialVariables(environment: environment, fixed: [:], libraryFolder: neighbour("lib"))
    }

    /// The environment of plain commands: the user's own, since they are the user's.
    ///
    /// Unless the user says otherwise a Swift program that traps ends at once: see ``TrialVariables/backtrace``.
    var commandEnvironment: [String: String] {
        [TrialVariables.backtrace.name: TrialVariables.backtrace.value].merging(environment) { _, own in own }
    }

    /// The environment of the embedded origin, which finds its assets in the same place.
    ///
    /// Whoever starts no origin does without: it throws where there is no place for assets.
    package func originEnvironment() throws(FetchBenchError) -> [String: String] {
        let names = ["HOME", "TMPDIR"] + TrialVariables.inheritedNames
        var environment = environment.filter { names.contains($0.key) }
        // Named, so that it is neither looked for nor explained again.
        environment["XDG_CACHE_HOME"] = try cacheFolder().base
        // An origin that traps is gone at once, and the run ends with what it said.
        environment[TrialVariables.backtrace.name] = TrialVariables.backtrace.value
        return environment
    }

    /// The trial programs that were named, and those beside a harness: this one, where none is named.
    package func programs(
        named paths: [String] = [], beside harness: String? = nil
    ) async throws(FetchBenchError) -> TrialPrograms {
        // An installed command is a link to where its programs are.
        let harness = URL(fileURLWithPath: absolute(harness ?? executable)).resolvingSymlinksInPath().path
        return try await TrialPrograms.found(named: paths.map(absolute), beside: harness, variables: variables)
    }

    /// Whether a program describes itself as a trial program does.
    package func isTrialProgram(_ path: String) async -> Bool {
        await TrialPrograms.isOne(absolute(path), variables: variables)
    }
}
