// SPDX-License-Identifier: Apache-2.0

import CommandConsole
import Foundation
import Glibc

/// A command that is a program of its own, `fetchbench-NAME`, in this command's folder or in `PATH`, as with git.
///
/// A command of this project that links what no other needs is one too: its flags are declared in `CommandConsole`, and
/// it becomes its program. Built-in names win.
enum PluginCommand {
    private static let prefix = "fetchbench-"
    private static let own = ["behaviours", "origin"]

    /// Becomes the program of a word that is not a built-in command; returns if there is none.
    static func run(_ word: String, _ arguments: [String]) throws {
        // Any other word could be a path to somewhere else.
        guard word.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || "-_".contains($0)) }) else { return }
        let path: String
        do throws(MemProbeError) {
            path = try ExecutableSearch.path(
                of: prefix + word, environment: ["PATH=" + folders.joined(separator: ":")])
        } catch {
            guard error.errno == EACCES else { return }
            throw FetchBenchError.trialProgram(
                path: prefix + word, reason: "it is not an executable file; remove it, or make it executable")
        }
        try CommandMain.become(path, arguments)
    }

    /// The lines of the help about such programs: those that are found, and those of this project that are not built.
    static func help(besides builtIn: [String]) -> String {
        let found = found()
        let lines = found.filter { !own.contains($0.key) }.sorted { $0.key < $1.key }.map { name, path in
            "  \(name)  \(path)" + (builtIn.contains(name) ? " (not used: \(name) is a built-in command)" : "")
        }
        let missing = own.filter { found[$0] == nil }.map { prefix + $0 }
        let remark =
            missing.isEmpty ? [] : ["  not built: \(missing.joined(separator: ", ")); `make build` builds them"]
        guard !(lines + remark).isEmpty else { return "" }
        return "\n\nPROGRAMS (\(prefix)NAME beside this command or in PATH):\n"
            + (lines.map { SafeText.forTerminal($0) } + remark).joined(separator: "\n")
    }

    /// The path of each program that can be found, by the command's name.
    private static func found() -> [String: String] {
        var found: [String: String] = [:]
        for folder in folders {
            let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.isEmpty ? "." : folder)) ?? []
            for name in names where name.hasPrefix(prefix) && !name.contains(".") {
                let path = (folder.isEmpty ? "." : folder) + "/" + name
                let command = String(name.dropFirst(prefix.count))
                guard found[command] == nil, (try? ExecutableSearch.path(of: path, environment: [])) != nil else {
                    continue
                }
                found[command] = path
            }
        }
        return found
    }

    private static var folders: [String] {
        let here = HarnessContext.here
        let path = here.environment["PATH"].map { $0.split(separator: ":", omittingEmptySubsequences: false) } ?? []
        return [PathText.folder(of: here.executable)] + path.map { String($0) }
    }
}
