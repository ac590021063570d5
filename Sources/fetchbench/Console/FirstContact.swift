// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import OperatingSystem
import Texts

/// The replies to command lines without a subcommand, which new users write.
enum FirstContact {
    /// The short help of `fetchbench` without arguments.
    private static let introduction = """
        fetchbench measures the peak memory of downloads, image decoding and any command.

          fetchbench run --mode data,download,stream --asset 16MiB    compare ways to fetch
          fetchbench --url https://host/big.jpg --mode download       fetch your URL
          fetchbench exec 'sort big.txt' 'LC_ALL=C sort big.txt'      compare any commands

        'fetchbench help' lists all commands; 'fetchbench doctor' checks this machine.
        """

    /// Checks the word in the place of a subcommand.
    /// - Throws: The short help for no arguments; an error with the remedy for a URL or an unknown word.
    static func check(_ arguments: [String]) throws {
        guard var word = arguments.first else { throw CleanExit.message(introduction) }
        if word == "help" {
            guard arguments.count > 1 else { return }
            word = arguments[1]
            if let topic = HelpTopic(rawValue: word) { throw CleanExit.message(topic.text) }
        }
        guard !word.hasPrefix("-"), !names.contains(word) else { return }
        // The URL itself may hold a secret, which an error message would show to whoever reads the log.
        guard !word.contains("://") else {
            throw ValidationError("a URL needs --url: fetchbench --url URL --mode data,download")
        }
        throw ValidationError(
            Suggestion.complaint(about: SafeText.forTerminal(word), of: "command", choices: listed))
    }

    /// Returns the command whose help explains a command line: options without a subcommand are those of `run`.
    static func helpCommand(for arguments: [String]) -> String {
        guard let word = arguments.first else { return "fetchbench" }
        guard !word.hasPrefix("-") else { return "fetchbench run" }
        return names.contains(word) && word != "help" ? "fetchbench \(word)" : "fetchbench"
    }

    private static var commands: [any ParsableCommand.Type] { FetchBench.configuration.subcommands }

    private static var listed: [String] {
        commands.filter { $0.configuration.shouldDisplay }.map { $0._commandName }
    }

    private static var names: [String] {
        commands.flatMap { [$0._commandName] + $0.configuration.aliases } + ["help"]
    }
}
