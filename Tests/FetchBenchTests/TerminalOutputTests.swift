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
            (["answer", "--trials", "1", "--quiet"], "A download task saves "),
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

        @Test func everyComparisonHasAnInterval() async throws {
            let ended = try await Sandbox("interval").fetchbench(Self.commands[5].words)
            let rows = ended.output.split(separator: "\n").filter { $0.contains("net peak growth") }
            #expect(!rows.isEmpty && rows.allSatisfy { $0.contains(" … ") }, "\(ended.output)")
        }

        @Test(arguments: [("always", true), ("auto", false), ("never", false)])
        func verdictsAreColouredOnlyWhereThatIsWanted(choice: String, isColoured: Bool) async throws {
            let words = Self.commands[2].words + ["--color", choice]
            let ended = try await Sandbox("color").fetchbench(words)
            #expect(ended.output.contains("\u{1B}[32mWithin limits\u{1B}[0m: ") == isColoured, "\(ended.output)")
            #expect(ended.output.contains("\u{1B}") == isColoured)
        }

        @Test(arguments: [("peak <= 64MiB", Int32(0), "within budget: "), ("peak <= 1KiB", 1, "over budget: ")])
        func aBudgetOnTheCommandLineEndsARun(budget: String, status: Int32, word: String) async throws {
            let sandbox = try Sandbox("budget")
            let ended = try await sandbox.fetchbench(["run", "--budget", budget] + Self.fetch)
            #expect(ended.status == status, "\(ended.output)\(ended.complaint)")
            let said = ended.unwrapped.split(separator: "\n").filter { $0.hasPrefix(word) }
            let figure = status == 0 ? "measured" : "> limit"
            #expect(said.count == (status == 0 ? 2 : said.count) && !said.isEmpty, "\(ended.output)")
            #expect(
                said.allSatisfy { $0.contains("· 1MiB ·") && $0.contains(figure) }, "a case without a fetch has none")
            let folder = try sandbox.onlyRun().folder
            let again = try await sandbox.fetchbench("report", folder)
            #expect(again.output == ended.output)
        }

        @Test func aBudgetOfAComparisonIsForItsHead() async throws {
            let ended = try await Sandbox("head").fetchbench(
                Self.commands[5].words + ["--budget", "command: whole_peak <= 1KiB"])
            #expect(
                ended.status == 1 && ended.output.hasPrefix("Red: 1 over budget"), "\(ended.output)\(ended.complaint)")
        }

        @Test func anInvalidBudgetForStoredRunsIsAUsageError() async throws {
            let sandbox = try Sandbox("stored")
            for name in ["a", "b"] {
                #expect(try await sandbox.fetchbench(["run", "--output", name] + Self.fetch).status == 0)
            }
            let runs = try ["a", "b"].map { try sandbox.onlyRun(in: $0).folder }
            let ended = try await sandbox.fetchbench(["compare"] + runs + ["--budget", "peek <= 1MiB"])
            #expect(ended.status == 64 && ended.complaint.contains("'peak'"), "\(ended.complaint)")
            let red = try await sandbox.fetchbench(["compare"] + runs + ["--budget", "1MiB/data/*: peak <= 1KiB"])
            #expect(red.status == 1 && red.output.hasPrefix("Red: "), "\(red.output)\(red.complaint)")
        }

        @Test(arguments: [
            ["help", "figures"], ["help", "formats"],
        ])
        func helpTopicsFitTheTerminal(words: [String]) async throws {
            let ended = try await Sandbox("topic").fetchbench(words)
            #expect(ended.status == 0 && ended.output.split(separator: "\n").allSatisfy { $0.count <= 80 })
        }
    }
}
