// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The output streams: the answer goes to standard output, everything else to standard error.
package enum Console {
    /// Indicates whether a GitHub runner reads both streams and interprets lines of them as commands.
    package static var isReadByGitHub: Bool { HarnessContext.here.environment["GITHUB_ACTIONS"] == "true" }

    /// Prints the answer; external text in it has to be escaped already, except for commands of a GitHub job.
    /// - Throws: ``ExitCode/noAnswer`` if it cannot be written, for example to a full disk.
    package static func answer(_ text: String, in color: ColorChoice = .never) throws {
        try answer(part: color.applied(to: ended(withoutCommands(text))))
    }

    package static func answer(_ pieces: TextPieces, in color: ColorChoice = .never) throws {
        var isAtLineStart = true
        for index in 0..<pieces.count {
            let text = try pieces.piece(index)
            let part = withoutCommands(text, isAtLineStart: isAtLineStart)
            try answer(part: color.applied(to: index + 1 < pieces.count ? part : ended(part)))
            isAtLineStart = text.hasSuffix("\n")
        }
    }

    /// Prints an answer whose lines are commands of a GitHub job.
    package static func answer(commands text: String) throws {
        try answer(part: ended(text))
    }

    package static func answer(part text: String) throws {
        guard write(text, to: STDOUT_FILENO) else {
            complain("standard output cannot be written: \(String(cString: strerror(errno)))")
            throw ExitCode.noAnswer
        }
    }

    private static func ended(_ text: String) -> String {
        text.hasSuffix("\n") ? text : text + "\n"
    }

    private static func withoutCommands(_ text: String, isAtLineStart: Bool = true) -> String {
        isReadByGitHub ? SafeText.withoutCommands(text, isAtLineStart: isAtLineStart) : text
    }

    /// Prints one line that is not the answer; line breaks are escaped, because external text could forge a line.
    package static func note(_ text: String) {
        write(withoutCommands(SafeText.forTerminal(text)) + "\n", to: STDERR_FILENO)
    }

    package static func note(lines text: String) {
        text.split(separator: "\n").forEach { note(String($0)) }
    }

    package static func note(resultIn folder: RunFolder) {
        let page = folder.path(of: .page)
        note(access(page, F_OK) == 0 ? "report: \(page)" : "stored in \(folder.path)")
    }

    /// Prints commands for the runner of a GitHub job, which are not part of the answer.
    package static func note(commands text: String) { write(text, to: STDERR_FILENO) }

    /// True if `--format json` is given, so that errors are JSON as well.
    package static var answersInJSON: Bool {
        let words = HarnessContext.here.arguments.prefix { $0 != "--" }
        return words.contains("--format=json")
            || zip(words, words.dropFirst()).contains { $0 == "--format" && $1 == "json" }
    }

    /// Prints an error, as a JSON object where the answer is JSON.
    package static func complain(_ text: String) {
        guard answersInJSON else { return note("error: " + text) }
        write(JSONText.compact(["error": SafeText.forTerminal(text)]), to: STDERR_FILENO)
    }

    package static func warn(_ text: String) { note("warning: " + text) }

    package static func redraw(_ line: String) {
        // A line wider than the terminal would wrap and could not be drawn over.
        let safe = SafeText.forTerminal(line)
        write("\r" + (columns.map { String(safe.prefix(max(0, $0 - 1))) } ?? safe) + "\u{1B}[K", to: STDERR_FILENO)
    }

    private static var columns: Int? {
        var size = winsize()
        guard ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }

    @discardableResult
    private static func write(_ text: String, to descriptor: Int32) -> Bool {
        SystemCall.writeAll(text.utf8, to: descriptor)
    }
}

package struct ColorOptions: ParsableArguments {
    @Option(help: "Colour of verdicts: auto (on a terminal without NO_COLOR), always, never.")
    package var color = ColorChoice.auto

    package init() {}
}

package enum ColorChoice: String, ExpressibleByArgument, CaseIterable {
    case auto, always, never

    /// Returns the colour of a format: only text for a terminal has one.
    package func of(_ format: String) -> ColorChoice { format == "table" ? self : .never }

    /// Returns the text with coloured verdicts, if they are wanted here.
    package func applied(to text: String) -> String { isOn ? Self.colored(text) : text }

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

extension ColorChoice {
    private static let words: [(color: Int, words: [String])] = [
        (31, ["regressed", "over budget", "over the limit", "Red", "failed"]),
        (32, ["improved", "unchanged", "within budget", "within baseline", "within the limit", "Within limits"]),
        (33, ["inconclusive", "incomparable", "missing", "not judged", "No answer", "no answer", "warning"]),
    ]

    /// Colours the verdicts that begin lines, and the mode or case that is named like one.
    private static func colored(_ text: String) -> String {
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
