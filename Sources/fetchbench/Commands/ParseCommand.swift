// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// `fetchbench parse -- ARGUMENTS`: whether they could be run; for the tests of documents, not for people.
struct ParseCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "parse", abstract: "Check arguments as another command would, and do nothing.",
        shouldDisplay: false)

    @Argument(parsing: .captureForPassthrough, help: "The arguments, beginning with the subcommand.")
    var arguments: [String] = []

    func run() throws {
        _ = try FetchBench.parseAsRoot(arguments.first == "--" ? Array(arguments.dropFirst()) : arguments)
    }
}
