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
