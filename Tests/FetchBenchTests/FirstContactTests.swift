// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

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
