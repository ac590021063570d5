// SPDX-License-Identifier: Apache-2.0

import AssetServer
import FetchBenchKit
import Foundation
import Glibc
import Rendering

/// What the command takes from the process it runs in: the only place that reads the environment.
enum Surroundings {
    /// The path of this program, for the processes it spawns.
    static var executable: String {
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? CommandLine.arguments[0]
    }

    /// What builds the environment of trials.
    static var world: WorldBuilder {
        WorldBuilder(
            environment: ProcessInfo.processInfo.environment,
            fixed: [DecoderMemory.environment.name: DecoderMemory.environment.value])
    }

    /// The whole environment as `K=V`, for a command that is traced: the harness has built it from nothing.
    static var environmentEntries: [String] {
        ProcessInfo.processInfo.environment.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
    }

    /// The environment of the embedded origin, which finds its assets in the same place.
    static var originEnvironment: [String: String] {
        let names = ["HOME", "XDG_CACHE_HOME", "TMPDIR"] + WorldBuilder.inheritedNames
        var variables = ProcessInfo.processInfo.environment.filter { names.contains($0.key) }
        // An origin that traps is gone at once, and the run ends with what it said.
        variables[WorldBuilder.backtrace.name] = WorldBuilder.backtrace.value
        return variables
    }

    /// The folder for temporary files that the user names, or the system's.
    static var temporaryDirectory: String {
        let named = ProcessInfo.processInfo.environment["TMPDIR"] ?? ""
        return named.isEmpty ? "/tmp" : AbsolutePath.of(named)
    }

    /// The assets, cached outside of any repository.
    static var library: AssetLibrary {
        let environment = ProcessInfo.processInfo.environment
        let home = environment["HOME"].flatMap { $0.isEmpty ? nil : $0 + "/.cache" }
        let base = environment["XDG_CACHE_HOME"].flatMap { $0.isEmpty ? nil : $0 } ?? home ?? temporaryDirectory
        return AssetLibrary(cacheDirectory: base + "/fetchbench")
    }

    /// What keeps credentials and the user's folders out of stored commands.
    static var redaction: RedactedCommand {
        var folders = [FileManager.default.currentDirectoryPath: ".", temporaryDirectory: "TMPDIR"]
        folders[ProcessInfo.processInfo.environment["HOME"] ?? ""] = "~"
        return RedactedCommand(folders: folders)
    }

    /// Does `body` with a folder for trials, which is gone afterwards.
    static func withTrialsDirectory<Value>(_ body: (String) async throws -> Value) async throws -> Value {
        var template = Array((temporaryDirectory + "/fetchbench-XXXXXX").utf8CString)
        guard let name = mkdtemp(&template) else {
            throw FetchBenchError.cannotWrite(name: "the temporary folder (TMPDIR)", errno: errno)
        }
        let path = String(cString: name)
        defer { try? FileManager.default.removeItem(atPath: path) }
        return try await body(path)
    }

    /// The time in UTC, as ISO 8601 and as the name of a run's folder has it.
    static func now() -> (text: String, compact: String) {
        let text = Date.now.formatted(.iso8601)
        return (text, text.filter { $0 != "-" && $0 != ":" })
    }
}
