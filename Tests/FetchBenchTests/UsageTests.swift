// SPDX-License-Identifier: Apache-2.0

import Testing

extension Conduct {
    /// Wrong words and numbers are told apart before anything runs.
    @Suite struct Usage {
        private let sandbox: Sandbox

        init() throws {
            sandbox = try Sandbox("usage")
        }

        /// What was typed, what the complaint names, and the choices that it offers.
        struct Mistake: CustomTestStringConvertible {
            var words: String
            var nearest: String
            var choices: [String]

            var testDescription: String { words }
        }

        static let mistakes = [
            Mistake(words: "--mode dat", nearest: "data", choices: ["list modes"]),
            Mistake(words: "--mode raw,strem", nearest: "stream", choices: ["list modes"]),
            Mistake(words: "--render imagevew", nearest: "imageview", choices: ["none", "imageview", "thumbnail"]),
            Mistake(
                words: "--allocator jemaloc", nearest: "jemalloc",
                choices: ["glibc", "glibc-pinned", "jemalloc", "jemalloc-tight"]),
            Mistake(words: "--asset heroo", nearest: "hero", choices: ["hero-progressive", "64MiB"]),
            Mistake(words: "--verify sha265", nearest: "sha256", choices: ["length"]),
            Mistake(
                words: "report run --format markdwn", nearest: "markdown",
                choices: ["table", "csv", "summary", "json"]),
            Mistake(words: "list mods", nearest: "modes", choices: ["renders", "allocators", "assets", "metrics"]),
        ]

        @Test(arguments: mistakes)
        func unknownWordNamesTheNearestAndTheChoices(mistake: Mistake) async throws {
            let ended = try await sandbox.fetchbench(mistake.words.split(separator: " ").map(String.init))
            #expect(ended.status == 64)
            #expect(ended.output.isEmpty)
            #expect(ended.complaint.contains("'\(mistake.nearest)'?"))
            for choice in mistake.choices { #expect(ended.complaint.contains(choice)) }
            #expect(sandbox.runFolders().isEmpty)
        }

        @Test(arguments: [
            ["--asset", "64XiB"], ["--asset", "0"], ["--asset", "-1MiB"], ["--rate", "fast"], ["--rate", "0"],
            ["--trials", "0"], ["--trials", "-3"], ["--trials", "many"], ["--timeout", "0"], ["--timeout", "nan"],
            ["--memory-limit", "much"], ["--memory-limit", "0"], ["--memory-limit", "200MB"],
            ["--seed", "-1"], ["--url", "http://127.0.0.1:1/", "--asset", "hero"], ["--url", "ftp://127.0.0.1/a"],
            ["--url", "no url"], ["--url", "https://127.0.0.1:1/", "--mode", "raw"], ["--url", "http:///path"],
            ["--suite", "missing.yml"], ["--nonsense"], ["frobnicate"], ["serve", "--port", "99999"],
            ["serve", "--rate", "x"], ["run", "--resume", "run", "--trials", "3"],
        ])
        func wrongUsageEndsWith64AndRunsNothing(words: [String]) async throws {
            let ended = try await sandbox.fetchbench(words)
            #expect(ended.status == 64)
            #expect(ended.output.isEmpty)
            #expect(ended.complaint.contains("error: "))
            #expect(sandbox.runFolders().isEmpty)
        }

        /// What is resumed has a folder and a label already: another one would be taken for an answer and dropped.
        @Test(arguments: [
            ["run"], ["check"], ["calibrate"], ["compare", "--base-exec", "true", "--head-exec", "true"],
        ])
        func whatIsResumedStaysWhereItIs(command: [String]) async throws {
            for flag in ["--output", "--label"] where command[0] != "calibrate" || flag == "--output" {
                let ended = try await sandbox.fetchbench(command + ["--resume", "run", flag, "other"])
                #expect(ended.status == 64)
                #expect(ended.complaint.contains("cannot be combined with \(flag)"), "\(ended.complaint)")
            }
        }

        @Test func modeThatCannotDoHTTPSNamesThoseThatCan() async throws {
            let ended = try await sandbox.fetchbench("--url", "https://127.0.0.1:1/", "--mode", "raw")
            #expect(ended.status == 64)
            #expect(ended.complaint.contains("raw"))
            for mode in ["data", "download", "stream"] { #expect(ended.complaint.contains(mode + ",")) }
        }

        @Test func suiteWithAnUnknownKeyNamesLineAndNearest() async throws {
            try sandbox.write("name: x\nmdoes: [raw]\n", to: "suite.yml")
            let ended = try await sandbox.fetchbench("run", "--suite", "suite.yml")
            #expect(ended.status == 64)
            for word in ["suite.yml", "line 2", "mdoes", "'modes'?", "trials"] {
                #expect(ended.complaint.contains(word))
            }
        }

        @Test(arguments: ["name: [", "- 1\n- 2", "modes: {a: b}", "trials: ten", "modes: [dat]", "rate: fast"])
        func brokenSuiteIsWrongUsage(yaml: String) async throws {
            try sandbox.write(yaml, to: "suite.yml")
            let ended = try await sandbox.fetchbench("run", "--suite", "suite.yml")
            #expect(ended.status == 64)
            #expect(sandbox.runFolders().isEmpty)
        }

        @Test func suiteIsAPlanAndFlagsWinOverIt() async throws {
            let suite = [
                "name: small", "assets: [4KiB]", "modes: [raw, data]", "renders: [none]", "trials: 3", "seed: 9",
                "rate: unlimited",
            ]
            try sandbox.write(suite.joined(separator: "\n"), to: "suite.yml")
            let ended = try await sandbox.fetchbench("run", "--suite", "suite.yml", "--trials", "1")
            #expect(ended.status == 0)
            let run = try sandbox.onlyRun()
            #expect(try run.trials().map(\.case.mode).sorted() == ["data", "none", "raw"])
            #expect(try run.record().plan.seed == 9)
            #expect(try run.text(of: "report.md").hasPrefix("# small"))
        }

        @Test func helpAndVersionAreAnswers() async throws {
            let help = try await sandbox.fetchbench("--help")
            #expect(help.status == 0)
            for command in ["run", "report", "list", "doctor", "serve"] { #expect(help.output.contains(command)) }
            #expect(!help.output.contains("\n  trace") && !help.output.contains("\n  parse"), "these are for ourselves")
            let version = try await sandbox.fetchbench("--version")
            #expect(version.status == 0)
            #expect(version.output.split(separator: ".").count >= 3)
        }

        @Test func urlAndModeAreEnough() async throws {
            let origin = try await ServeProcess(sandbox)
            let ended = try await sandbox.fetchbench("--url", origin.url + "/bytes/64KiB", "--mode", "download")
            #expect(ended.status == 0)
            let trials = try sandbox.onlyRun().trials().filter { $0.case.mode == "download" }
            #expect(trials.count == 10)
            #expect(trials.allSatisfy { $0.outcome.kind == "completed" && $0.case.asset == "url" })
        }
    }
}
