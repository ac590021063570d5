// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Profiles
import Reports
import Runs

/// Explanations that belong to several commands: `fetchbench help figures`.
enum HelpTopic: String, CaseIterable {
    case figures, formats

    var text: String {
        switch self {
        case .figures: String(decoding: PackageResources.figures_txt, as: UTF8.self)
        case .formats: Self.aboutFormats
        }
    }

    private static let aboutFormats =
        "FORMATS OF RESULTS (--format, separated by commas)\n"
        + section("run, exec, answer, report", Formats.ofRuns.map { ($0.name, $0.summary) })
        + section("compare, check", Formats.ofJudgements.map { ($0.name, $0.summary) })
        + section("calibrate", Formats.ofCalibrations.map { ($0.name, $0.summary) })
        + section("costs", Formats.ofCosts.map { ($0.name, $0.summary) })
        + section("survive", Formats.ofSurvival.map { ($0.name, $0.summary) })
        + section("explain", ProfileFormats.all.map { ($0.name, $0.summary) })

    private static func section(_ commands: String, _ formats: [(name: String, summary: String)]) -> String {
        let width = formats.map(\.name.count).max() ?? 0
        let lines = formats.map { format in
            let name = "  " + format.name + String(repeating: " ", count: width - format.name.count) + "  "
            let margin = "\n" + String(repeating: " ", count: name.count)
            return name + Prose.wrapped(format.summary, width: Prose.width - name.count).replacing("\n", with: margin)
        }
        return "\n\(commands)\n" + lines.joined(separator: "\n") + "\n"
    }
}

// MARK: - The replies to command lines without a subcommand, which new users write

extension FetchBench {
    /// The short help of `fetchbench` without arguments.
    private static let introduction = """
        fetchbench measures the peak memory of downloads, image decoding and any command.

          fetchbench run --mode data,download,stream --asset 16MiB    compare ways to fetch
          fetchbench --url https://host/big.jpg --mode download       fetch your URL
          fetchbench exec 'sort big.txt' 'LC_ALL=C sort big.txt'      compare any commands
          fetchbench endpoint './App --port {port}' --get /big.bin    measure your server

        'fetchbench help' lists all commands; 'fetchbench doctor' checks this machine.
        """

    /// Checks the word in the place of a subcommand, and becomes the program that is called like an unknown one.
    static func check(_ arguments: [String]) throws {
        guard var word = arguments.first else { throw CleanExit.message(introduction) }
        if ["help", "--help", "-h"].contains(word), arguments.count == 1 {
            throw CleanExit.message(FetchBench.helpMessage() + PluginCommand.help(besides: names))
        }
        var rest = Array(arguments.dropFirst())
        if word == "help" {
            word = rest[0]
            if let topic = HelpTopic(rawValue: word) { throw CleanExit.message(topic.text) }
            rest = ["--help"]
        }
        guard !word.hasPrefix("-"), !names.contains(word) else { return }
        try PluginCommand.run(word, rest)
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
