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

extension Conduct {
    /// The formats of a verdict from the command to its readers; `MachineFormatTests` has the rest.
    @Suite struct VerdictOutputs {
        private let sandbox: Sandbox

        init() throws {
            sandbox = try Sandbox("formats")
        }

        /// The verdict on two stored runs of which the second holds 4 MiB more.
        private func red(_ arguments: String...) async throws -> String {
            try await red(arguments, environment: [:]).output
        }

        private func red(_ arguments: [String], environment: [String: String]) async throws -> Ended {
            try await sandbox.place(MeasuredOnce.shared.run(holding: 8), as: "base")
            try await sandbox.place(MeasuredOnce.shared.run(holding: 12), as: "head")
            let ended = try await sandbox.fetchbench(
                ["compare", "base", "head"] + arguments, environment: environment)
            #expect(ended.status == 1)
            return ended
        }

        private static let validation = """
            import json, sys, jsonschema
            schema = json.load(open(sys.argv[1]))
            validator = jsonschema.validators.validator_for(schema)
            validator.check_schema(schema)
            for path in sys.argv[2:]:
                for error in validator(schema).iter_errors(json.load(open(path))):
                    print(path, list(error.absolute_path), error.message)
            """

        @Test func jsonFollowsItsSchema() async throws {
            let schema = BuiltBinary.package + "/docs/judgement.schema.json"
            let comparison = try await sandbox.write(red("--format", "json"), to: "comparison.json")
            let budgets = SmallSuite(budgets: ["peak <= 1 MiB", "peak <= 20 MiB", "hero/*: peak <= 1 GiB"])
            let baseline = try await MeasuredOnce.shared.baseline()
            let (ended, _) = try await sandbox.check(budgets, baseline: baseline)
            #expect(ended.status == 1)
            let stored = try #require(sandbox.runFolders().last) + "/judgement.json"
            let answer = try await sandbox.python(Self.validation, schema, comparison, stored)
            try #require(!answer.complaint.contains("No module named"), "python3-jsonschema is not installed")
            #expect(answer.status == 0 && answer.output.isEmpty, "\(answer.output)\(answer.complaint)")

            // A schema that lets everything through would have said nothing as well.
            let broken = try EditedJSON(sandbox.text(of: "comparison.json")).setting("answer", to: "maybe").text()
            let refused = try await sandbox.python(Self.validation, schema, sandbox.write(broken, to: "broken.json"))
            #expect(refused.output.contains("maybe"))
        }

        @Test func junitHasACaseForEveryFinding() async throws {
            let script = """
                import sys, xml.etree.ElementTree as tree
                suites = tree.parse(sys.argv[1]).getroot()
                cases = suites.findall("./testsuite/testcase")
                failed = [case for case in cases if case.find("failure") is not None]
                print(suites.tag, len(cases), len(failed), suites.get("tests"), suites.get("failures"))
                print(all(case.get("name") and case.get("classname") for case in cases))
                """
            let file = try await sandbox.write(red("--format", "junit"), to: "junit.xml")
            let parsed = try await sandbox.python(script, file)
            #expect(parsed.output == "testsuites 2 2 2 2\nTrue\n", "\(parsed.output)\(parsed.complaint)")
            let suite = SmallSuite(budgets: ["peak <= 1 MiB", "peak <= 20 MiB"])
            let (_, judgement) = try await sandbox.check(suite, "--no-baseline")
            let stored = try #require(sandbox.runFolders().last) + "/junit.xml"
            let checked = try await sandbox.python(script, stored)
            #expect(judgement?.findings.count == 2)
            #expect(checked.output == "testsuites 2 1 2 1\nTrue\n", "\(checked.output)\(checked.complaint)")
        }

        @Test func actionsGetAnnotationsAndASummary() async throws {
            let summary = try sandbox.write("# before\n", to: "summary.md")
            let environment = ["GITHUB_ACTIONS": "true", "GITHUB_STEP_SUMMARY": summary]
            let table = try await red([], environment: environment)
            #expect(table.output.hasPrefix("Red: "))
            let lines = table.complaint.split(separator: "\n") + table.output.split(separator: "\n")
            #expect(lines.count { $0.hasPrefix("::error title=regressed") } == 2, "wherever the runner reads them")
            let first = try sandbox.text(of: "summary.md")
            #expect(first.hasPrefix("# before\n") && first.contains("## Red: 2 regressed"))
            let asked = try await red(["--format", "annotations"], environment: environment)
            #expect(asked.output.split(separator: "\n").count { $0.hasPrefix("::error ") } == 2)
            #expect(!asked.complaint.contains("::error"), "each is said once")
            let second = try sandbox.text(of: "summary.md")
            #expect(second.hasPrefix(first) && second.count > first.count)
            let outside = try await red([], environment: [:])
            #expect(!outside.output.contains("::error") && !outside.complaint.contains("::error"))
        }

        @Test func machineReadableOutputStaysReadableInActions() async throws {
            let ended = try await red(["--format", "json"], environment: ["GITHUB_ACTIONS": "true"])
            #expect(throws: Never.self) { try StoredJudgement(ended.output) }
            #expect(ended.complaint.contains("::error title=regressed"))
        }

        @Test func summaryThatCannotBeWrittenChangesNoVerdict() async throws {
            let ended = try await red([], environment: ["GITHUB_STEP_SUMMARY": sandbox.work + "/no/such/folder/file"])
            #expect(ended.output.contains("Red: 2 regressed"))
            #expect(ended.complaint.contains("summary"))
        }

        @Test func formatsFollowOneAnother() async throws {
            let both = try await red("--format", "bencher,annotations", "--format", "table")
            #expect(both.hasPrefix("{"))
            let annotation = try #require(both.range(of: "\n::error "))
            let table = try #require(both.range(of: "\nRed: "))
            #expect(annotation.lowerBound < table.lowerBound)
        }
    }
}

extension EndToEnd {
    struct ProgressTests {
        /// A trial of a second and more, so that many intervals pass in it.
        private static let slow = [
            "run", "--asset", "256KiB", "--mode", "raw", "--render", "none", "--trials", "1", "--rate", "128KiB",
        ]
        private static let often = ["FETCHBENCH_PROGRESS_SECONDS": "0.1"]

        @Test func aLogShowsTheCaseThatIsMeasured() async throws {
            let sandbox = try Sandbox("progress")
            let ended = try await sandbox.fetchbench(Self.slow, environment: Self.often)
            #expect(ended.status == 0)
            let lines = ended.complaint.split(separator: "\n").filter { $0.contains(" elapsed") }
            #expect(lines.count { $0.hasPrefix("fetchbench: [") && $0.contains("/2] 256KiB/raw/none/glibc, 0:0") } > 1)
            #expect(!ended.complaint.contains("\r") && !ended.output.contains("elapsed"))
        }

        @Test func aLogAnnouncesLongWorkAfterASecond() async throws {
            let sandbox = try Sandbox("progress-announced")
            let ended = try await sandbox.fetchbench(Self.slow)
            #expect(ended.status == 0)
            let lines = ended.complaint.split(separator: "\n").filter { $0.contains(" elapsed") }
            // The next line would follow after half a minute.
            #expect(lines.count == 1 && lines[0].hasPrefix("fetchbench: "), "\(ended.complaint)")
        }

        @Test(arguments: ["--quiet", "--no-progress"])
        func noProgressIsShownOnRequest(flag: String) async throws {
            let sandbox = try Sandbox("progress-silent")
            let ended = try await sandbox.fetchbench(Self.slow + [flag], environment: Self.often)
            #expect(ended.status == 0)
            #expect(!ended.complaint.contains("elapsed"))
        }

        @Test(arguments: ["soon", "0", "-1", "nan"])
        func anInvalidIntervalIsReported(text: String) async throws {
            let sandbox = try Sandbox("progress-nonsense")
            let ended = try await sandbox.fetchbench(
                ["run", "--asset", "4KiB", "--mode", "raw", "--render", "none", "--trials", "1"],
                environment: ["FETCHBENCH_PROGRESS_SECONDS": text])
            #expect(ended.status == 0)
            #expect(ended.complaint.contains("warning: invalid FETCHBENCH_PROGRESS_SECONDS"))
            // On a busy machine it may take more than the second after which long work is announced.
            #expect(ended.complaint.split(separator: "\n").count { $0.contains(" elapsed") } <= 1)
        }
    }
}
