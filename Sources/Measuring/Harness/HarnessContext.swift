// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
package import Runs

/// The process context of a command, read once at its start and passed down.
package struct HarnessContext: Sendable {
    package let arguments: [String]
    package let environment: [String: String]
    /// The path of the command itself, which is also the origin and the tracer.
    package let executable: String
    /// The folder in which the command was started and plain commands run.
    package let workingDirectory: String
    package let user: UInt32
    /// True if standard error is a terminal, on which progress can be drawn.
    package let drawsProgress: Bool
    package var outside: Outside
    /// Keeps credentials and the user's folders out of stored commands.
    package var redaction = RedactedCommand(folders: [:])
    package var shellRedaction = RedactedCommand(folders: [:])

    /// The outside state that is read repeatedly, by functions that tests can replace.
    package struct Outside: Sendable {
        /// The time in UTC, as ISO 8601.
        package var now: @Sendable () -> String = { Date.now.formatted(.iso8601) }
        /// The machine without commit and label, by the folder for temporary files.
        package var machine: @Sendable (String) -> MachineEnvironment = {
            EnvironmentProbe.environment(
                temporaryDirectory: $0, commit: nil, hasUncommittedChanges: nil, label: nil)
        }
        /// The identifier of this machine, by a name that distinguishes parts of it.
        package var hostIdentifier: @Sendable (String) -> String = { ShardHost.identifier(besides: $0) }
        /// The state of the git repository, if any, by git's environment.
        package var revision: @Sendable ([String: String]) async -> SourceRevision? = {
            await SourceRevision.current(environment: $0)
        }

        package init() {}
    }

    package init(
        arguments: [String], environment: [String: String], executable: String, workingDirectory: String,
        user: UInt32, drawsProgress: Bool, outside: Outside = Outside()
    ) {
        (self.arguments, self.environment) = (arguments, environment)
        (self.executable, self.workingDirectory) = (executable, workingDirectory)
        (self.user, self.drawsProgress, self.outside) = (user, drawsProgress, outside)
        redaction = redaction(work: ".", temporary: "TMPDIR", home: "~")
        shellRedaction = redaction(
            work: String(Reproduction.ShellFolder.work.rawValue),
            temporary: String(Reproduction.ShellFolder.temporary.rawValue),
            home: String(Reproduction.ShellFolder.home.rawValue))
    }

    private func redaction(work: String, temporary: String, home: String) -> RedactedCommand {
        // Added in turn, because they may be the same folder.
        var folders = [temporaryDirectory: temporary]
        folders[workingDirectory] = work
        folders[environment["HOME"] ?? ""] = home
        return RedactedCommand(folders: folders)
    }

    package func now() -> String { outside.now() }

    /// - Parameter reachesOut: True if programs may ask others than the embedded origin.
    package func machine(reachesOut: Bool = false) -> MachineEnvironment {
        outside.machine(temporaryDirectory).seeing(environment, reachesOut: reachesOut)
    }

    /// The identifier of this machine; `FETCHBENCH_HOST` distinguishes parts of it, such as the nodes of a test.
    package var hostIdentifier: String { outside.hostIdentifier(environment["FETCHBENCH_HOST"] ?? "") }

    func build() throws -> String { try ProgramFile.sha256(at: executable) }

    package func revision() async -> SourceRevision? { await outside.revision(environment) }
}

extension HarnessContext {
    /// The absolute path: trials work in folders of their own.
    package func absolute(_ path: String) -> String {
        path.hasPrefix("/") ? path : workingDirectory + "/" + path
    }

    package func neighbour(_ name: String) -> String { PathText.folder(of: executable) + "/" + name }

    /// The path of a program of this project that only some work needs.
    package func program(_ name: String, for work: String) throws -> String {
        let path = neighbour(name)
        guard access(path, X_OK) == 0 else {
            let state = access(path, F_OK) == 0 ? "it cannot be executed" : "it does not exist"
            throw FetchBenchError.trialProgram(
                path: path, reason: "\(state), and \(work) needs it; `make build` builds it")
        }
        return path
    }

    /// The program that serves the embedded origin, and its first arguments: only one of them has TLS and HTTP/2.
    package func origin(overTLS: Bool = false) throws -> (executable: String, arguments: [String]) {
        let arguments = ["--until-stdin-closes"]
        guard overTLS else { return (executable, ["serve"] + arguments) }
        return (try program("fetchbench-origin", for: "https"), arguments)
    }

    /// `TMPDIR` or the system's folder for temporary files.
    package var temporaryDirectory: String {
        let named = environment["TMPDIR"] ?? ""
        return named.isEmpty ? "/tmp" : absolute(named)
    }

    package func cacheFolder() throws -> AssetCache {
        try AssetCache(
            named: environment["XDG_CACHE_HOME"], home: environment["HOME"], temporaryDirectory: temporaryDirectory,
            user: user)
    }

    func path(stored: String) -> String {
        let folders = [".": workingDirectory, "~": environment["HOME"] ?? "~", "TMPDIR": temporaryDirectory]
        let parts = stored.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let folder = folders[String(parts[0])] else { return stored }
        return folder + "/" + parts[1]
    }

    package var variables: TrialVariables {
        TrialVariables(environment: environment, fixed: [:], libraryFolder: neighbour("lib"))
    }

    /// The environment of plain commands: the user's own.
    ///
    /// By default a Swift program that traps ends at once: see ``TrialVariables/backtrace``.
    var commandEnvironment: [String: String] {
        [TrialVariables.backtrace.name: TrialVariables.backtrace.value].merging(environment) { _, own in own }
    }

    /// Returns the environment of the embedded origin, which uses the same folder for assets.
    ///
    /// Throws if there is no place for assets, so call it only if an origin is started.
    package func originEnvironment() throws -> [String: String] {
        let names = ["HOME", "TMPDIR"] + TrialVariables.inheritedNames
        var environment = environment.filter { names.contains($0.key) }
        // Passed on, so that it is neither searched nor explained again.
        environment["XDG_CACHE_HOME"] = try cacheFolder().base
        // An origin that traps ends at once, and the run ends with its message.
        environment[TrialVariables.backtrace.name] = TrialVariables.backtrace.value
        return environment
    }

    package func programs(
        named paths: [String] = [], for modes: [String]? = nil, beside harness: String? = nil
    ) async throws -> TrialPrograms {
        try await TrialPrograms.found(
            named: paths.map(absolute), beside: resolved(harness ?? executable), for: modes, variables: variables,
            cache: (try? cacheFolder()).map { DescriptionCache(in: $0.path, of: user) })
    }

    /// Queries the programs with two client libraries each, for their costs; those that are not built are left out.
    package func pairPrograms() async throws -> [TrialExecutable] {
        try await TrialPrograms.pairs(beside: resolved(executable), variables: variables)
    }

    /// The path without links: an installed command may be a link to the folder of its programs.
    private func resolved(_ path: String) -> String {
        URL(fileURLWithPath: absolute(path)).resolvingSymlinksInPath().path
    }

    package func isTrialProgram(_ path: String) async -> Bool {
        (try? await ProgramQuery(path: absolute(path), variables: variables).answer()) != nil
    }
}
