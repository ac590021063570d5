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

        @Test func helpAndVersionAreAnswers() async throws {
            for (flag, words) in [("--help", ["run", "report", "list", "doctor", "serve"]), ("--version", ["."])] {
                let ended = try await sandbox.fetchbench(flag)
                #expect(ended.status == 0 && words.allSatisfy(ended.output.contains), "\(ended.output)")
                let isOurs = ended.output.contains("\n  trace") || ended.output.contains("\n  parse")
                #expect(!isOurs, "these are for ourselves")
            }
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
    }
}
