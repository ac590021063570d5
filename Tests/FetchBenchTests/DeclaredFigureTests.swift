// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

extension EndToEnd {
    /// Figures that a program in another language declares: the harness knows none of them by name.
    @Suite struct DeclaredFigures {
        private static let folder = BuiltBinary.package + "/Examples/protocol-in-python"
        private static let program = folder + "/scenario_program.py"

        private func suite(_ budgets: [String], scenario: String = "revisit:20") -> String {
            """
            programs: [\(Self.program)]
            modes: [python-read]
            renders: [none]
            assets: [64KiB]
            scenarios: ["\(scenario)"]
            trials: 3
            budgets: \(budgets)
            """
        }

        @Test func theyAreColumnsWordsOfBudgetsAndVerdicts() async throws {
            let sandbox = try Sandbox("declared")
            try sandbox.write(suite(["cache_hits >= 19", "median(cache_hit_ratio) >= 0.95"]), to: "own.yml")
            let green = try await sandbox.fetchbench("check", "--suite", "own.yml", "--no-baseline")
            #expect(green.status == 0, "\(green.output)\(green.complaint)")
            let run = try sandbox.onlyRun()
            let rows = try run.rows(ofMode: "python-read")
            #expect(try rows.map { try $0.number("cache_hits") } == [19, 19, 19])
            #expect(try rows.map { try $0.number("cache_hit_ratio") } == [0.95, 0.95, 0.95])
            let report = try run.text(of: "report.md")
            #expect(report.contains("how often does the cache answer?") && report.contains("nothing wrong"))
            try sandbox.write(suite(["cache_hits >= 20"]), to: "red.yml")
            let red = try await sandbox.fetchbench("check", "--suite", "red.yml", "--no-baseline", "--output", "red")
            #expect(red.status == 1 && red.output.contains("cache_hits"), "\(red.output)\(red.complaint)")
        }

        /// A stored run has what it was declared as: no program is needed to read it.
        @Test func aStoredRunIsReadWithoutItsProgram() async throws {
            let sandbox = try Sandbox("stored")
            let plan = ["--mode", "python-read", "--asset", "4KiB", "--render", "none", "--trials", "2", "--quiet"]
            let ended = try await sandbox.fetchbench(
                ["run", "--program", Self.program, "--scenario", "revisit:forgetful:5"] + plan)
            #expect(ended.status == 0, "\(ended.complaint)")
            let folder = try #require(sandbox.runFolders().first)
            for format in ["markdown", "html", "summary"] {
                let drawn = try await sandbox.fetchbench("report", folder, "--format", format)
                #expect(drawn.status == 0 && drawn.output.contains(format == "summary" ? "cache_misses" : "no hit"))
            }
        }

        /// One that answers less is a regression by the step that the program declares.
        @Test func aFigureThatDecidesIsJudged() async throws {
            let sandbox = try Sandbox("judged")
            var program = ""
            for name in ["trial_program.py", "scenario_program.py"] {
                let text = try String(contentsOfFile: Self.folder + "/" + name, encoding: .utf8)
                let head = text.replacing("if kept is not None and", with: "if kept is not None and count % 2 and")
                program = try sandbox.write(head, to: name)
                try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program)
            }
            let red = try await sandbox.fetchbench(
                [
                    "compare", "--base-program", Self.program, "--head-program", program,
                    "--mode", "python-read", "--asset", "4KiB", "--render", "none", "--scenario", "revisit:4",
                    "--no-explain", "--rate", "unlimited",
                ], within: 200)
            #expect(red.status == 1 && red.output.contains("cache hits"), "\(red.output)\(red.complaint)")
        }
    }
}

extension Conduct {
    /// Declarations that no column and no budget can take.
    @Suite struct DeclaredFigureConduct {
        private static let folder = BuiltBinary.package + "/Examples/protocol-in-python"

        @Test(arguments: [
            (#""name": "cache_misses""#, #""name": "cache_hits""#, ["figures[1].name", "declared twice"]),
            (
                #""name": "cache_misses", "unit": "ratio""#, #""name": "cache_misses", "unit": "MB""#,
                [".unit", "bytes, ns, ratio"]
            ),
            (#""name": "cache_misses""#, #""name": "copies_held_ratio""#, ["a metric that every trial has"]),
            (
                #""name": "cache_misses", "unit": "ratio""#, #""name": "cache_misses", "unit": "bytes""#,
                ["_bytes at its end"]
            ),
            (#""name": "cache_misses""#, #""name": "Cache misses""#, ["small letters"]),
            (#"{"smallest": 1}"#, #"{"smallest": 0}"#, ["decides"]),
            (#""below": 1, "#, "", ["neither above nor below"]),
        ])
        func theyAreRefusedByTheirField(old: String, new: String, words: [String]) async throws {
            let sandbox = try Sandbox("refused")
            let base = try String(contentsOfFile: Self.folder + "/trial_program.py", encoding: .utf8)
            try sandbox.write(base, to: "trial_program.py")
            let text = try String(contentsOfFile: Self.folder + "/scenario_program.py", encoding: .utf8)
            try #require(text.contains(old))
            let path = try sandbox.write(text.replacing(old, with: new), to: "scenario_program.py")
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
            let ended = try await sandbox.fetchbench(
                "run", "--program", path, "--mode", "python-read", "--asset", "4KiB", "--render", "none")
            #expect(ended.status == 2 && sandbox.runFolders().isEmpty)
            for word in words { #expect(ended.complaint.contains(word), "\(ended.complaint)") }
        }

        @Test func aBudgetOnAFigureThatNobodyDeclaresIsRefused() async throws {
            let sandbox = try Sandbox("unknown")
            try sandbox.write(
                "modes: [data]\nrenders: [none]\nassets: [4KiB]\nbudgets: [\"cache_hits >= 1\"]\n", to: "own.yml")
            let ended = try await sandbox.fetchbench("check", "--suite", "own.yml", "--no-baseline")
            #expect(ended.status == 64 && ended.complaint.contains("unknown metric 'cache_hits'"), "\(ended.complaint)")
        }
    }
}
