// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Measuring

/// The flag `--color`.
struct ColorOptions: ParsableArguments {
    @Option(help: "Colour of verdicts: auto (on a terminal without NO_COLOR), always, never.")
    var color = ColorChoice.auto
}

/// The colour of verdicts on standard output.
enum ColorChoice: String, ExpressibleByArgument, CaseIterable {
    case auto, always, never

    /// Returns the colour of a format: only text for a terminal has one.
    func of(_ format: String) -> ColorChoice { format == "table" ? self : .never }

    /// Returns the text with coloured verdicts, if they are wanted here.
    func applied(to text: String) -> String { isOn ? VerdictColors.applied(to: text) : text }

    private var isOn: Bool {
        switch self {
        case .always: return true
        case .never: return false
        case .auto:
            let environment = HarnessContext.here.environment
            return HarnessContext.answersOnTerminal && environment["NO_COLOR", default: ""].isEmpty
                && environment["TERM"] != "dumb"
        }
    }
}

/// Colours the verdicts that begin lines, and the mode or case that is named like one.
enum VerdictColors {
    private static let words: [(color: Int, words: [String])] = [
        (31, ["regressed", "over budget", "over the limit", "Red", "failed"]),
        (32, ["improved", "unchanged", "within budget", "within baseline", "within the limit", "Within limits"]),
        (33, ["inconclusive", "incomparable", "missing", "not judged", "No answer", "no answer", "warning"]),
    ]

    static func applied(to text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).map(line).joined(separator: "\n")
    }

    private static func line(_ line: Substring) -> String {
        let start = line.firstIndex { $0 != " " && $0 != "•" } ?? line.endIndex
        let rest = line[start...]
        for (color, words) in words {
            for word in words where rest.hasPrefix(word) {
                let end = rest.dropFirst(word.count)
                guard end.isEmpty || [":", "  ", " ·"].contains(where: { end.hasPrefix($0) }) else { continue }
                return "\(line[..<start])\u{1B}[\(color)m\(word)\u{1B}[0m\(end)"
            }
        }
        return String(line)
    }
}
