// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// A suite of one cheap command that holds a known number of MiB, measured four times.
struct SmallSuite {
    static let cell = "64KiB/hold/none/glibc"

    var mebibytes = 8
    var trials = 4
    var budgets: [String] = []
    var commands: [String] = []

    /// A command that holds so much and ends: one buffer, filled and written to nowhere.
    ///
    /// It is told of the asset, and does not fetch it.
    static func holding(_ mebibytes: Int) -> String {
        "env ASSET={url} dd if=/dev/zero of=/dev/null bs=\(mebibytes)M count=1"
    }

    var text: String {
        var lines = ["name: small", "assets: [64KiB]", "renders: [none]", "rate: unlimited", "trials: \(trials)"]
        lines.append("exec:")
        lines += (["hold=" + Self.holding(mebibytes)] + commands).map { "  - \(Self.quoted($0))" }
        if !budgets.isEmpty { lines.append("budgets:") }
        lines += budgets.map { "  - \(Self.quoted($0))" }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func quoted(_ word: String) -> String {
        "'" + word.replacing("'", with: "''") + "'"
    }
}

extension Sandbox {
    /// Judges a suite, beside which the baseline lies, and reads what was stored.
    func check(
        _ suite: SmallSuite, baseline: String? = nil, _ arguments: String..., environment: [String: String] = [:]
    ) async throws -> (ended: Ended, judgement: StoredJudgement?) {
        try write(suite.text, to: "suite.yml")
        if let baseline { try write(baseline, to: "baseline.json") }
        let known = Set(runFolders())
        let ended = try await fetchbench(
            ["check", "--suite", "suite.yml", "--baseline", "baseline.json"] + arguments, environment: environment)
        let folders = runFolders().filter { !known.contains($0) && !$0.hasSuffix("-confirmation") }
        guard let folder = folders.first else { return (ended, nil) }
        let text = try? StoredRun(folder).text(of: "judgement.json")
        return (ended, try text.map { try StoredJudgement($0) })
    }

    func text(of name: String) throws -> String {
        guard let data = FileManager.default.contents(atPath: work + "/" + name) else {
            throw Obstacle("\(name) is missing")
        }
        return String(decoding: data, as: UTF8.self)
    }

    func python(_ script: String, _ arguments: String...) async throws -> Ended {
        try await start(BuiltBinary.systemPython(), ["-c", script] + arguments).end(within: 60)
    }
}

actor MeasuredOnce {
    static let shared = MeasuredOnce()

    private var storedBaseline: String?
    private var storedRuns: [Int: RunFiles] = [:]

    func baseline() async throws -> String {
        if let storedBaseline { return storedBaseline }
        let sandbox = try Sandbox("baseline")
        let (ended, _) = try await sandbox.check(SmallSuite(), "--update")
        guard ended.status == 0 else { throw Obstacle("no baseline: \(ended.complaint)") }
        let text = try sandbox.text(of: "baseline.json")
        storedBaseline = text
        return text
    }

    /// Six trials of a command that holds so many MiB; its text is the same, whatever it holds.
    func run(holding mebibytes: Int) async throws -> RunFiles {
        if let stored = storedRuns[mebibytes] { return stored }
        let sandbox = try Sandbox("stored")
        let ended = try await sandbox.fetchbench(
            "run", "--asset", "64KiB", "--rate", "unlimited", "--render", "none", "--trials", "6", "--exec",
            "hold=" + SmallSuite.holding(mebibytes))
        guard ended.status == 0 else { throw Obstacle("no run: \(ended.complaint)") }
        // As if another version of one command had been measured: another command would not be comparable.
        let run = try sandbox.onlyRun()
        let files = RunFiles(
            head: try run.text(of: "run.json").replacing(SmallSuite.holding(mebibytes), with: SmallSuite.holding(8)),
            trials: try run.text(of: "trials.jsonl"))
        storedRuns[mebibytes] = files
        return files
    }
}

struct RunFiles {
    var head: String
    var trials = ""
}

extension Sandbox {
    /// Puts the folder of a run here, and returns its name.
    @discardableResult
    func place(_ run: RunFiles, as name: String) throws -> String {
        try FileManager.default.createDirectory(atPath: work + "/" + name, withIntermediateDirectories: true)
        try write(run.head, to: name + "/run.json")
        try write(run.trials, to: name + "/trials.jsonl")
        return name
    }
}
