// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import OperatingSystem
import Profiles
import Reports
import Runs
import Texts

/// Explanations that belong to several commands: `fetchbench help figures`.
enum HelpTopic: String, CaseIterable {
    case figures, formats

    var text: String {
        switch self {
        case .figures: Self.aboutFigures
        case .formats: Self.aboutFormats
        }
    }

    private static let aboutFigures = """
        HOW TO READ THE FIGURES

        Each trial is a fresh process. It starts, fetches 1 KiB to warm up, and marks
        its memory: growth counts from this mark. Sizes are in MiB (1,048,576 bytes).

          peak         Growth of resident memory at its highest, by the kernel's
                       high-water mark (VmHWM): no spike is missed. The kernel counts
                       in batches, so it may be slightly low: `fetchbench doctor`
                       says by how much.
          anonymous    The part of the growth that is not a copy of a file, at its
                       highest. The kernel can drop pages of files, but not these. It
                       is sampled every millisecond.
          k            Copies of the file in memory at the peak, without the decoded
                       picture: 2.00 means that the file is held twice.
          CV           Variation of the whole peak between trials (standard deviation
                       ÷ mean).
          net          Peak without pages of the program and its libraries, which
                       depend on what is in the page cache. Limits, `check` and
                       `compare` judge net figures.
          fetch ms     Wall time of the fetch. The embedded origin sends 60 MiB/s, so
                       that all trials have the same pace; --rate unlimited measures
                       throughput.
          CPU ms       CPU time of the fetch. Streams and `raw` hash while they read;
                       other modes hash afterwards, which is not included.
          ≤            Tracing takes more than a twentieth of this time.

        (nothing fetched) is the same program without a fetch: its growth is the noise
        of the measurement.

        Not in these figures: the page cache of files, files in /dev/shm that no process
        has mapped, buffers of pipes and sockets, swapped-out memory. A container is
        charged for all but the last: where trials can have control groups of their
        own (`fetchbench doctor`), charged_peak_bytes and its parts are in CSV, JSON
        and pages, and `fetchbench survive` finds the smallest limit.

        Of a command, each process is stopped at its exit and its high-water mark is
        read. The peak of several processes at once is sampled every millisecond: it
        is a lower bound of their sum, and a page that they share counts once.

        Differences are estimated by Hodges and Lehmann, with a 99 % bootstrap interval
        (`compare`, `exec`); p is the permutation test of Mann and Whitney, corrected by
        Holm for everything that is compared.

          unchanged      A difference that counts would have been found.
          regressed      More memory, confirmed by further trials.
          improved       Less memory, confirmed by further trials.
          inconclusive   Too few trials for their noise; the message says how many.
          detectable     The smallest difference found in nine of ten such comparisons.

        All metrics: fetchbench list metrics
        """

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
