// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

extension Conduct {
    @Suite struct FirstContact {
        /// Words, what the answer has to contain, and how many lines it may have: 50 fit on a screen.
        @Test(arguments: [
            ([], ["fetchbench "], 12), (["--version"], ["."], 1), (["help", "figures"], ["peak"], 150),
            (["help", "formats"], ["csv"], 150), (["exec", "--help"], ["--limit"], 100),
            (["run", "--help"], ["--mode"], 150), (["--help"], ["run", "report", "list", "doctor", "serve"], 85),
        ])
        func helpIsAnAnswerThatFitsTheTerminal(words: [String], parts: [String], most: Int) async throws {
            let sandbox = try Sandbox("help")
            let ended = try await sandbox.fetchbench(words, status: 0, environment: ["COLUMNS": "80"])
            #expect(ended.complaint.isEmpty && parts.allSatisfy(ended.output.contains), "\(ended.output)")
            let lines = ended.output.split(separator: "\n", omittingEmptySubsequences: false)
            #expect(lines.count <= most + 1 && lines.allSatisfy { $0.count <= 84 }, "\(lines.count) lines")
            let isOurs = ended.output.contains("\n  trace") || ended.output.contains("\n  parse")
            #expect(!isOurs && sandbox.runFolders().isEmpty, "these are for ourselves")
            let examples = lines.map { $0.drop { $0 == " " } }.count {
                $0.hasPrefix("fetchbench ") && $0.contains("  ")
            }
            #expect(!words.isEmpty || examples == 4, "\(ended.output)")
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
            let options = (root.subcommands ?? []).flatMap { command in
                (command.arguments ?? []).filter { $0.kind == "option" && $0.shouldDisplay }.map { (command, $0) }
            }
            for (command, option) in options {
                let isStated = ["default", "(required)"].contains { option.abstract?.contains($0) == true }
                #expect(option.defaultValue != nil || isStated, "\(command.commandName) \(option.names ?? [])")
            }
            #expect(options.count > 100)
        }
    }
}

extension EndToEnd {
    @Suite struct Completions {
        static let typed = [
            ("fetchbench behavi", "behaviours"), ("fetchbench run --verif", "--verify"),
            ("fetchbench run --verify sha", "sha256"), ("fetchbench run --mode ahc-coll", "ahc-collect"),
            ("fetchbench run --suite slow-con", "slow-consumer"), ("fetchbench run --scheme https", "https"),
            ("fetchbench list loa", "loaders"), ("fetchbench check --format juni", "junit"),
        ]

        private func shell(_ name: String, _ options: [String], _ program: String) async throws -> String {
            let sandbox = try Sandbox("completion")
            let script = try await sandbox.fetchbench("--generate-completion-script", name, status: 0)
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
