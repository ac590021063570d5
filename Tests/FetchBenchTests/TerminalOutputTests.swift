// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

extension EndToEnd {
    /// The output of commands on a terminal of 80 columns: the answer first, no line too wide, colour where it is asked for.
    @Suite struct TerminalOutput {
        private static let fetch = [
            "--asset", "1MiB", "--mode", "data,raw", "--render", "none", "--trials", "2", "--quiet",
        ]

        /// The commands that measure, and the beginning of their answers.
        static let commands: [(words: [String], answer: String)] = [
            (["run"] + fetch, "data peaks "),
            (["exec", "--quiet", "--trials", "6", "true", "sh -c 'true; true'"], "sh -c 'true; true' "),
            (["check", "--no-baseline", "--budget", "peak <= 64MiB"] + fetch, "Within limits: "),
            (["explain", "--asset", "1MiB", "--mode", "raw", "--render", "none", "--quiet"], "1MiB/raw/none/glibc: "),
            (
                ["compare", "--no-explain", "--quiet", "--base-exec", "true", "--head-exec", "true"], "Within limits: "
            ),
        ]

        @Test(arguments: commands.indices) func theAnswerIsFirstAndNoLineIsTooWide(index: Int) async throws {
            let (words, answer) = Self.commands[index]
            let ended = try await Sandbox("terminal").fetchbench(words)
            #expect(ended.status == 0, "\(ended.output)\(ended.complaint)")
            #expect(ended.output.hasPrefix(answer), "\(ended.output)")
            for line in ended.output.split(separator: "\n") where !line.contains("reproduce: ") {
                #expect(line.count <= 80, "\(line)")
            }
        }

        @Test(arguments: [("peak <= 64MiB", Int32(0), "within budget: "), ("peak <= 1KiB", 1, "over budget: ")])
        func aBudgetOnTheCommandLineEndsARun(budget: String, status: Int32, word: String) async throws {
            let sandbox = try Sandbox("budget")
            let ended = try await sandbox.fetchbench(["run", "--budget", budget] + Self.fetch, status: status)
            let said = ended.unwrapped.split(separator: "\n").filter { $0.hasPrefix(word) }
            let figure = status == 0 ? "measured" : "> limit"
            #expect(said.count == (status == 0 ? 2 : said.count) && !said.isEmpty, "\(ended.output)")
            #expect(
                said.allSatisfy { $0.contains("· 1MiB ·") && $0.contains(figure) }, "a case without a fetch has none")
        }
    }
}

extension Conduct {
    /// The formats of a verdict from the command to its readers; `MachineFormatTests` has the rest.
    @Suite struct VerdictOutputs {
        private let sandbox: Sandbox

        init() throws { sandbox = try Sandbox("formats") }

        /// The verdict on two stored runs of which the second holds 4 MiB more.
        private func red(_ arguments: String...) async throws -> String {
            try await red(arguments, environment: [:]).output
        }

        private func red(_ arguments: [String], environment: [String: String]) async throws -> Ended {
            try await sandbox.place(MeasuredOnce.shared.run(holding: 8), as: "base")
            try await sandbox.place(MeasuredOnce.shared.run(holding: 12), as: "head")
            let ended = try await sandbox.fetchbench(
                ["compare", "base", "head"] + arguments, status: 1, environment: environment)
            return ended
        }

        @Test func actionsGetAnnotationsAndASummary() async throws {
            let summary = try sandbox.write("# before\n", to: "summary.md")
            let environment = ["GITHUB_ACTIONS": "true", "GITHUB_STEP_SUMMARY": summary]
            let table = try await red([], environment: environment)
            #expect(table.output.hasPrefix("Red: "))
            let lines = table.complaint.split(separator: "\n") + table.output.split(separator: "\n")
            let count = lines.count { $0.hasPrefix("::error title=regressed") }
            let first = try sandbox.text(of: "summary.md")
            #expect(count >= 2 && first.hasPrefix("# before\n") && first.contains("## Red: \(count) regressed"))
            let asked = try await red(["--format", "annotations"], environment: environment)
            #expect(asked.output.split(separator: "\n").count { $0.hasPrefix("::error ") } == count)
            #expect(!asked.complaint.contains("::error"), "each is said once")
            let second = try sandbox.text(of: "summary.md")
            #expect(second.hasPrefix(first) && second.count > first.count)
            let outside = try await red([], environment: [:])
            #expect(!outside.output.contains("::error") && !outside.complaint.contains("::error"))
        }

        @Test func coloursAreAskedForAndFormatsFollowOneAnother() async throws {
            for (choice, isColoured) in [("always", true), ("auto", false)] {
                let table = try await red("--color", choice)
                #expect(table.contains("\u{1B}[31mRed\u{1B}[0m: ") == isColoured, "\(table)")
                #expect(table.contains("\u{1B}") == isColoured)
            }
            let both = try await red("--format", "bencher,annotations", "--format", "table")
            #expect(both.hasPrefix("{"))
            let annotation = try #require(both.range(of: "\n::error "))
            let table = try #require(both.range(of: "\nRed: "))
            #expect(annotation.lowerBound < table.lowerBound)
        }
    }
}
