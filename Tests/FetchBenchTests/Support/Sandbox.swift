// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
@_exported import TestSupport
import Testing

/// A folder of one test, with a home, a place for temporary files and one to work in; gone with the value.
final class Sandbox: Sendable {
    let path: String
    var work: String { path + "/work" }
    var temporary: String { path + "/temporary" }
    var home: String { path + "/home" }

    /// Makes the folder; `word` is a part of every path in it.
    init(_ word: String = "test") throws {
        path = try Self.folder(word)
        for folder in [work, temporary, home] {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        }
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    private static func folder(_ word: String) throws -> String {
        var template = Array((FileManager.default.temporaryDirectory.path + "/fetchbench-\(word)-XXXXXX").utf8CString)
        guard let made = mkdtemp(&template), let real = realpath(made, nil) else {
            throw Obstacle("no temporary folder: \(String(cString: strerror(errno)))")
        }
        defer { free(real) }
        return String(cString: real)
    }

    /// The images take seconds to make, so all tests of this process share them; removed when it ends.
    private static let sharedCache: String = {
        let path = (try? folder("cache")) ?? FileManager.default.temporaryDirectory.path + "/fetchbench-cache"
        atexit { try? FileManager.default.removeItem(atPath: Sandbox.sharedCache) }
        return path
    }()

    /// The whole environment of what is started here: nothing comes from the user but where programs are.
    var environment: [String: String] {
        var variables = ["HOME": home, "TMPDIR": temporary, "XDG_CACHE_HOME": Self.sharedCache, "LC_ALL": "C"]
        for name in ["PATH", "LD_LIBRARY_PATH"] { variables[name] = ProcessInfo.processInfo.environment[name] }
        return variables
    }

    func start(_ arguments: [String], environment extra: [String: String] = [:]) throws -> Spawned {
        try start(BuiltBinary.path, arguments, environment: extra)
    }

    func start(_ path: String, _ arguments: [String], environment extra: [String: String] = [:]) throws -> Spawned {
        try Spawned(path, arguments, environment: environment.merging(extra) { $1 }, workingDirectory: work)
    }

    /// Runs `fetchbench` to its end, and expects its exit status where one is given.
    @discardableResult
    func fetchbench(
        _ arguments: String..., status: Int32? = nil, environment extra: [String: String] = [:],
        within seconds: Double = 100, at location: SourceLocation = #_sourceLocation
    ) async throws -> Ended {
        try await fetchbench(arguments, status: status, environment: extra, within: seconds, at: location)
    }

    /// The same, with arguments that a test has put together.
    @discardableResult
    func fetchbench(
        _ arguments: [String], status: Int32? = nil, environment extra: [String: String] = [:],
        within seconds: Double = 100, at location: SourceLocation = #_sourceLocation
    ) async throws -> Ended {
        let ended = try await start(arguments, environment: extra).end(within: seconds)
        if let status { #expect(ended.status == status, "\(ended.output)\(ended.complaint)", sourceLocation: location) }
        return ended
    }

    /// Measures a plan without a picture and at full speed, and gives the rows of the trials that fetch.
    func rows(
        _ plan: [String], status: Int32 = 0, environment extra: [String: String] = [:], within seconds: Double = 300
    ) async throws -> [CSVTable.Row] {
        // Beside load a trial takes longer than the default allows.
        let rate = plan.contains("--url") ? [] : [("--rate", "unlimited")]
        let render = plan.contains("--server") ? [] : [("--render", "none")]
        let usual = render + [("--trials", "1"), ("--timeout", "200")] + rate
        let words = ["run", "--quiet"] + usual.filter { !plan.contains($0.0) }.flatMap { [$0.0, $0.1] } + plan
        let ended = try await fetchbench(words, status: status, environment: extra, within: seconds)
        let rows = try onlyRun().table("trials.csv").rows.filter { $0["mode"] != "none" }
        guard status == 0 else { return rows }
        for row in rows { #expect(row["outcome"] == "completed", "\(row["outcome_detail"] ?? "") \(ended.complaint)") }
        return rows
    }

    func tool(_ name: String, _ arguments: String..., within seconds: Double = 60) async throws -> Ended {
        try await start(BuiltBinary.tool(name), arguments).end(within: seconds)
    }

    func runFolders(in output: String = "results") -> [String] {
        let folder = work + "/" + output
        return ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted().map { folder + "/" + $0 }
    }

    func onlyRun(in output: String = "results") throws -> StoredRun {
        let folders = runFolders(in: output)
        guard folders.count == 1 else { throw Obstacle("\(folders.count) runs instead of one") }
        return try StoredRun(folders[0])
    }

    /// Writes a shell script in the working folder that can be started, and returns its path.
    func program(_ script: String, named name: String = "program", mode: UInt32 = 0o755) throws -> String {
        try write(program: "#!/bin/sh\n" + script + "\n", to: name, mode: mode)
    }

    /// Writes a file in the working folder that can be started, and returns its path.
    @discardableResult
    func write(program text: String, to name: String, mode: UInt32 = 0o755) throws -> String {
        try TestProcess.write(program: text, to: work + "/" + name, mode: mode)
        return work + "/" + name
    }

    /// Writes a file in the working folder and returns its path.
    @discardableResult
    func write(_ text: String, to name: String) throws -> String {
        let path = work + "/" + name
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        return path
    }
}

/// The program under test: the one that was built beside these tests, or the one that `FETCHBENCH_BINARY` names.
enum BuiltBinary {
    static let path: String = {
        let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        let sibling = own.split(separator: "/").dropLast().reduce("") { "\($0)/\($1)" } + "/fetchbench"
        if access(sibling, X_OK) == 0 { return sibling }
        return ProcessInfo.processInfo.environment["FETCHBENCH_BINARY"] ?? sibling
    }()

    /// A program that was built beside `fetchbench`, by its name.
    static func neighbour(_ name: String) -> String {
        URL(fileURLWithPath: path).deletingLastPathComponent().path + "/" + name
    }

    /// Copies `fetchbench` and its trial programs into a folder that is not there yet, and gives the copy's path.
    static func copied(to folder: String) throws -> String {
        let manager = FileManager.default
        try manager.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let own = URL(fileURLWithPath: path).deletingLastPathComponent().path
        let programs = try manager.contentsOfDirectory(atPath: own).filter { name in
            name.hasPrefix("trial-") && !name.contains(".")
        }
        for name in ["fetchbench"] + programs {
            try TestProcess.copy(program: "\(own)/\(name)", to: "\(folder)/\(name)")
        }
        return folder + "/fetchbench"
    }

    static let package = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().path

    static func systemPython() throws -> String {
        let system = "/usr/bin/python3"
        return try FileManager.default.isExecutableFile(atPath: system) ? system : tool("python3")
    }

    static func tool(_ name: String) throws -> String {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map(String.init)
        let paths: [String] = (folders + ["/usr/sbin", "/usr/bin", "/sbin", "/bin"]).map { "\($0)/\(name)" }
        let found = paths.first { access($0, X_OK) == 0 }
        guard let found else { throw Obstacle("\(name) is not installed; scripts/install-dependencies installs it") }
        return found
    }
}

/// Why a test could not do what it set out to do.
struct Obstacle: Error, CustomStringConvertible {
    var description: String

    init(_ description: String) { self.description = description }
}
