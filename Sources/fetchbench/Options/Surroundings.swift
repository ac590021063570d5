// SPDX-License-Identifier: Apache-2.0

import AssetServer
import Foundation
import Glibc
import Measuring
import Runs
import Support

/// What the command takes from the process it runs in: the only place that reads the environment.
enum Surroundings {
    /// The path of this program, for the processes it spawns.
    static var executable: String {
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? CommandLine.arguments[0]
    }

    /// The path of a program that stands beside this one.
    static func neighbour(_ name: String) -> String {
        PathText.folder(of: executable) + "/" + name
    }

    /// What builds the environment of trials, whatever program they run in.
    static var variables: TrialVariables {
        TrialVariables(
            environment: ProcessInfo.processInfo.environment, fixed: [:], libraryFolder: neighbour("lib"))
    }

    /// The trial programs that were named, and those beside a harness: this one, where none is named.
    static func programs(
        named paths: [String] = [], beside harness: String = executable
    ) async throws(FetchBenchError) -> TrialPrograms {
        // An installed command is a link to where its programs are.
        let harness = URL(fileURLWithPath: harness).resolvingSymlinksInPath().path
        return try await TrialPrograms.found(
            named: paths.map { AbsolutePath.of($0) }, beside: harness, variables: variables)
    }

    /// The same, and what a user should know of their modes said.
    static func announcedPrograms(
        named paths: [String], beside harness: String = executable
    ) async throws(FetchBenchError) -> TrialPrograms {
        let programs = try await programs(named: paths, beside: harness)
        programs.doubledModes(ofNamed: paths.count).forEach(Console.warn)
        return programs
    }

    /// Whether a program describes itself as a trial program does.
    static func isTrialProgram(_ path: String) async -> Bool {
        await TrialPrograms.isOne(AbsolutePath.of(path), variables: variables)
    }

    /// The environment of commands that are measured for themselves: the user's own, since they are the user's.
    ///
    /// Unless the user says otherwise a Swift program that traps ends at once: see ``TrialVariables/backtrace``.
    private static var commandEnvironment: [String: String] {
        [TrialVariables.backtrace.name: TrialVariables.backtrace.value]
            .merging(ProcessInfo.processInfo.environment) { _, own in own }
    }

    /// The environment of the embedded origin, which finds its assets in the same place.
    static func originEnvironment() throws(AssetError) -> [String: String] {
        let names = ["HOME", "XDG_CACHE_HOME", "TMPDIR"] + TrialVariables.inheritedNames
        var environment = ProcessInfo.processInfo.environment.filter { names.contains($0.key) }
        // Named, so that it is neither looked for nor explained again.
        environment["XDG_CACHE_HOME"] = try cacheFolder.get().base
        // An origin that traps is gone at once, and the run ends with what it said.
        environment[TrialVariables.backtrace.name] = TrialVariables.backtrace.value
        return environment
    }

    /// The folder for temporary files that the user names, or the system's.
    static var temporaryDirectory: String {
        let named = ProcessInfo.processInfo.environment["TMPDIR"] ?? ""
        return named.isEmpty ? "/tmp" : AbsolutePath.of(named)
    }

    /// How often a log gets a line while something takes long: 30 s, or what `FETCHBENCH_PROGRESS_SECONDS` says.
    ///
    /// Found once in the life of a process, as it is complained of once.
    static let progressInterval: Duration = {
        let name = "FETCHBENCH_PROGRESS_SECONDS"
        guard let text = ProcessInfo.processInfo.environment[name], !text.isEmpty else { return .seconds(30) }
        guard let seconds = Double(text), (0.1...86_400).contains(seconds) else {
            Console.warn("\(name) is no number of seconds between 0.1 and 86400: progress is told every 30 s")
            return .seconds(30)
        }
        return .seconds(seconds)
    }()

    /// Where assets are kept, found once in the life of a process.
    static let cacheFolder: Result<CacheFolder, AssetError> = {
        let environment = ProcessInfo.processInfo.environment
        do throws(AssetError) {
            return .success(
                try CacheFolder(
                    named: environment["XDG_CACHE_HOME"], home: environment["HOME"],
                    temporaryDirectory: temporaryDirectory, user: geteuid()))
        } catch {
            return .failure(error)
        }
    }()

    /// The assets, cached outside of any repository; where that is no usual place, it is said once.
    static func library() throws(AssetError) -> AssetLibrary { try announcedLibrary.get() }

    private static let announcedLibrary: Result<AssetLibrary, AssetError> = cacheFolder.map { folder in
        if let obstacle = folder.obstacle {
            Console.warn("\(obstacle): assets are kept in \(folder.path), until the system empties it")
        }
        return AssetLibrary(cacheDirectory: folder.path)
    }

    /// What keeps credentials and the user's folders out of stored commands.
    private static var redaction: RedactedCommand { redaction(work: ".", temporary: "TMPDIR", home: "~") }

    /// The same for commands that are printed to be run again: a shell puts the folders back.
    private static var shellRedaction: RedactedCommand {
        redaction(
            work: String(ShellFolder.work.rawValue), temporary: String(ShellFolder.temporary.rawValue),
            home: String(ShellFolder.home.rawValue))
    }

    private static func redaction(work: String, temporary: String, home: String) -> RedactedCommand {
        // One after another: they may be the same folder.
        var folders = [temporaryDirectory: temporary]
        folders[FileManager.default.currentDirectoryPath] = work
        folders[ProcessInfo.processInfo.environment["HOME"] ?? ""] = home
        return RedactedCommand(folders: folders)
    }

    /// All of it, as a session needs it.
    static func harness() -> HarnessSurroundings {
        HarnessSurroundings(
            executable: executable, originEnvironment: { try originEnvironment() }, variables: variables,
            commandEnvironment: commandEnvironment, workingDirectory: FileManager.default.currentDirectoryPath,
            temporaryDirectory: temporaryDirectory, redaction: redaction, shellRedaction: shellRedaction,
            environment: {
                EnvironmentProbe.environment(
                    temporaryDirectory: temporaryDirectory, commit: nil, hasUncommittedChanges: nil, label: nil)
            }, now: { Date.now.formatted(.iso8601) },
            revision: { await SourceRevision.current(environment: ProcessInfo.processInfo.environment) })
    }
}
