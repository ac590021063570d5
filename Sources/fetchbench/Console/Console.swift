// SPDX-License-Identifier: Apache-2.0

import Glibc
import Measuring
import MemProbe
import Runs
import Texts

/// The two streams of the terminal: the answer goes to one, everything else to the other.
enum Console {
    /// Whether the runner of a GitHub job reads both streams, and takes lines of them for commands.
    static var isReadByGitHub: Bool { HarnessContext.here.environment["GITHUB_ACTIONS"] == "true" }

    /// Prints the answer.
    ///
    /// What is part of it from outside has to be safe already, but for commands of a GitHub job.
    /// - Throws: ``ExitStatus/noAnswer`` where nobody can get it, because the disk is full, say.
    static func answer(_ text: String) throws(ExitStatus) {
        try answer(part: ended(withoutCommands(text)))
    }

    /// Prints an answer of many pieces, each as soon as it is made.
    static func answer(_ pieces: TextPieces) throws {
        var isAtLineStart = true
        for index in 0..<pieces.count {
            let text = try pieces.piece(index)
            let part = withoutCommands(text, isAtLineStart: isAtLineStart)
            try answer(part: index + 1 < pieces.count ? part : ended(part))
            isAtLineStart = text.hasSuffix("\n")
        }
    }

    /// Prints an answer whose lines are commands of a GitHub job.
    static func answer(commands text: String) throws(ExitStatus) {
        try answer(part: ended(text))
    }

    /// Prints a part of the answer as it is, without a line break of its own.
    static func answer(part text: String) throws(ExitStatus) {
        guard write(text, to: STDOUT_FILENO) else { throw unwritten }
    }

    private static func ended(_ text: String) -> String {
        text.hasSuffix("\n") ? text : text + "\n"
    }

    private static func withoutCommands(_ text: String, isAtLineStart: Bool = true) -> String {
        isReadByGitHub ? SafeText.withoutCommands(text, isAtLineStart: isAtLineStart) : text
    }

    /// Says that nobody got the answer.
    private static var unwritten: ExitStatus {
        complain("standard output cannot be written: \(String(cString: strerror(errno)))")
        return .noAnswer
    }

    /// Says something that is not the answer, on one line: a line break in it came from outside and would forge another one.
    static func note(_ text: String) {
        write(withoutCommands(SafeText.forTerminal(text)) + "\n", to: STDERR_FILENO)
    }

    /// Says something of our own that has several lines.
    static func note(lines text: String) {
        text.split(separator: "\n").forEach { note(String($0)) }
    }

    /// Hands commands to the runner of a GitHub job; they are no answer.
    static func note(commands text: String) {
        write(text, to: STDERR_FILENO)
    }

    /// Says what is wrong, of what, why and what to do.
    static func complain(_ text: String) {
        note("fetchbench: " + text)
    }

    /// Warns of something that does not stop anything.
    static func warn(_ text: String) {
        note("warning: " + text)
    }

    /// Draws over the last line of the terminal.
    static func redraw(_ line: String) {
        // What is wider than the terminal would go on in the next line, and could not be drawn over.
        let safe = SafeText.forTerminal(line)
        write("\r" + (columns.map { String(safe.prefix(max(0, $0 - 1))) } ?? safe) + "\u{1B}[K", to: STDERR_FILENO)
    }

    /// How wide the terminal is, or `nil` where it does not say.
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
