// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

extension Conduct {
    /// Wrong words and numbers are told apart before anything runs.
    @Suite struct Usage {
        private let sandbox: Sandbox

        init() throws {
            sandbox = try Sandbox("usage")
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

        /// A resumed run already has a folder and a label, so another one is refused instead of being ignored.
        @Test(arguments: [
            ["run"], ["check"], ["calibrate"], ["compare", "--base-exec", "true", "--head-exec", "true"],
        ])
        func resumedRunsStayInTheirFolder(command: [String]) async throws {
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

extension Conduct {
    /// The first command lines of new users, and the ways in which they are wrong.
    @Suite struct FirstContact {
        @Test func withoutArgumentsThreeExamplesAreShown() async throws {
            let sandbox = try Sandbox("bare")
            let ended = try await sandbox.fetchbench([])
            #expect(ended.status == 0 && ended.complaint.isEmpty)
            let lines = ended.output.split(separator: "\n").map { $0.drop { $0 == " " } }
            #expect(lines.count { $0.hasPrefix("fetchbench ") && $0.contains("  ") } == 3, "\(ended.output)")
            #expect(lines.allSatisfy { $0.count <= 84 } && sandbox.runFolders().isEmpty)
        }

        @Test func theExamplesOfTheShortHelpAreValid() async throws {
            let sandbox = try Sandbox("bare")
            let lines = try await sandbox.fetchbench([]).output.split(separator: "\n")
            for line in lines where line.hasPrefix("  fetchbench ") {
                let command = try #require(line.firstMatch(of: /fetchbench .*?(?=   )/)?.0)
                #expect(try await sandbox.words(of: String(command)).count > 2)
            }
        }

        @Test func aURLIsNotPrinted() async throws {
            let sandbox = try Sandbox("url")
            let ended = try await sandbox.fetchbench("https://user:UNGUESSABLE@127.0.0.1:9/x?token=UNGUESSABLE")
            #expect(ended.status == 64 && ended.complaint.contains("--url"))
            #expect(!ended.complaint.contains("UNGUESSABLE"), "a log would keep it")
        }

        @Test(arguments: ["run", "exec", "compare", "check", "explain", "serve", "list", "behaviours"])
        func anErrorNamesTheHelpOfItsSubcommand(command: String) async throws {
            let ended = try await Sandbox("see").fetchbench(command, "--nonsense")
            #expect(ended.status == 64 && ended.complaint.contains("See 'fetchbench \(command) --help'."))
        }

        /// An argument of the command line, as the parser describes it.
        private struct Described: Decodable {
            struct Name: Decodable { var name: String }
            struct Argument: Decodable {
                var kind: String
                var names: [Name]?
                var abstract: String?
                var defaultValue: String?
                var shouldDisplay: Bool
            }
            var commandName: String
            var arguments: [Argument]?
            var subcommands: [Described]?
        }
        private struct Dump: Decodable { var command: Described }

        @Test func everyOptionStatesItsDefault() async throws {
            let dump = try await Sandbox("dump").fetchbench("--experimental-dump-help")
            let root = try JSONDecoder().decode(Dump.self, from: Data(dump.output.utf8)).command
            var count = 0
            for command in root.subcommands ?? [] {
                for argument in command.arguments ?? [] where argument.kind == "option" && argument.shouldDisplay {
                    count += 1
                    let isStated =
                        argument.defaultValue != nil
                        || ["default", "(required)"].contains { argument.abstract?.contains($0) == true }
                    #expect(isStated, "\(command.commandName) \(argument.names?.map(\.name) ?? [])")
                }
            }
            #expect(count > 100)
        }

        /// `exec` fits on two screens of 50 lines, `run` on three.
        @Test(arguments: [("exec", 100), ("run", 150)])
        func helpFitsOnAFewScreens(command: String, lines: Int) async throws {
            let sandbox = try Sandbox("help")
            let ended = try await sandbox.fetchbench([command, "--help"], environment: ["COLUMNS": "80"])
            let help = ended.output.split(separator: "\n", omittingEmptySubsequences: false)
            #expect(ended.status == 0 && help.count <= lines, "\(help.count) lines")
        }
    }
}

extension EndToEnd {
    /// Completions as the shells themselves produce them.
    @Suite struct Completions {
        /// The input and the expected completions.
        static let typed = [
            ("fetchbench behavi", "behaviours"), ("fetchbench run --verif", "--verify"),
            ("fetchbench run --verify sha", "sha256"), ("fetchbench run --mode ahc-coll", "ahc-collect"),
            ("fetchbench run --suite slow-con", "slow-consumer"), ("fetchbench run --scheme https", "https"),
            ("fetchbench list loa", "loaders"), ("fetchbench check --format juni", "junit"),
        ]

        /// Runs a program of a shell that has the completions of that shell in `$1`.
        private func shell(_ name: String, _ options: [String], _ program: String) async throws -> String {
            let sandbox = try Sandbox("completion")
            let script = try await sandbox.fetchbench("--generate-completion-script", name)
            #expect(script.status == 0)
            // By the name under which zsh looks for it.
            try sandbox.write(script.output, to: "_fetchbench")
            let folder = URL(fileURLWithPath: BuiltBinary.path).deletingLastPathComponent().path
            let environment = ["PATH": "\(folder):/usr/bin:/bin", "TERM": "dumb", "COLUMNS": "200"]
            let arguments = options + ["-c", program] + (name == "bash" ? ["bash"] : name == "zsh" ? ["zsh"] : [])
            let ended = try await sandbox.start(
                BuiltBinary.tool(name), arguments + [sandbox.work + "/_fetchbench"], environment: environment
            ).end(within: 60)
            #expect(ended.status == 0, "\(ended.complaint)")
            return ended.output
        }

        /// The answers to each line, between marks that the program prints.
        private func expectAnswers(_ output: String) {
            let answers = output.split(separator: "====", omittingEmptySubsequences: false).map(String.init)
            #expect(answers.count == Self.typed.count + 1, "\(output)")
            for (answer, (line, word)) in zip(answers, Self.typed) {
                #expect(answer.contains(word), "\(line): \(answer)")
            }
        }

        @Test func bashCompletes() async throws {
            let lines = Self.typed.map { "'\($0.0)'" }.joined(separator: " ")
            expectAnswers(
                try await shell(
                    "bash", ["--norc"],
                    """
                    source "$1"
                    for line in \(lines); do
                        read -ra COMP_WORDS <<<"$line"
                        COMP_CWORD=$((${#COMP_WORDS[@]} - 1)) COMP_LINE=$line COMP_POINT=${#line} COMP_TYPE=9 COMPREPLY=()
                        _fetchbench fetchbench "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
                        printf '%s\\n' "${COMPREPLY[@]}"
                        echo ====
                    done
                    """))
        }

        @Test func fishCompletes() async throws {
            let lines = Self.typed.map { "'\($0.0)'" }.joined(separator: " ")
            expectAnswers(
                try await shell(
                    "fish", ["--no-config"],
                    "source $argv[1]; for line in \(lines); complete -C $line; echo ====; end"))
        }

        /// zsh completes where somebody types: at a terminal.
        @Test func zshCompletes() async throws {
            let lines = Self.typed.map { "'\($0.0)'" }.joined(separator: " ")
            expectAnswers(
                try await shell(
                    "zsh", ["-f"],
                    """
                    zmodload zsh/zpty
                    zpty terminal zsh -f -i
                    # One key completes, and makes what came of it the words of a command that prints them.
                    zpty -w terminal "PS1='>'; fpath=(${1:h} \\$fpath); autoload -Uz compinit; compinit -u -D
                    finish() { zle expand-or-complete; BUFFER=\\"print -r -- \\$BUFFER; print do''ne\\"; zle accept-line }
                    zle -N finish; bindkey '^T' finish; echo rea''dy"
                    zpty -r terminal answer '*ready*'
                    for line in \(lines); do
                        zpty -n -w terminal "$line"$'\\C-t'
                        zpty -r terminal answer '*done*'
                        print -r -- "$answer"
                        print '===='
                    done
                    """))
        }
    }
}
