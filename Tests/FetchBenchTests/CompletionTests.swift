// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

extension EndToEnd {
    /// What shells make of the completions, asked of the shells themselves.
    @Suite struct Completions {
        /// What is typed, and what has to be offered for it.
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
