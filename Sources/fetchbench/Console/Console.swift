// SPDX-License-Identifier: Apache-2.0

import FetchBenchKit
import Glibc
import Support

/// The two streams of the terminal: the answer goes to one, everything else to the other.
enum Console {
    /// Whether progress can be drawn.
    static var drawsProgress: Bool { isatty(STDERR_FILENO) == 1 }

    /// Prints the answer.
    ///
    /// What is part of it from outside has to be safe already.
    /// - Throws: ``ExitStatus/noAnswer`` where nobody can get it, because the disk is full, say.
    static func answer(_ text: String) throws(ExitStatus) {
        try answer(part: text.hasSuffix("\n") ? text : text + "\n")
    }

    /// Prints an answer of many pieces, each as soon as it is made.
    static func answer(_ pieces: TextPieces) throws {
        for index in 0..<pieces.count {
            let text = try pieces.piece(index)
            try index + 1 < pieces.count ? answer(part: text) : answer(text)
        }
    }

    /// Prints a part of the answer, without a line break of its own.
    static func answer(part text: String) throws(ExitStatus) {
        guard write(text, to: STDOUT_FILENO) else { throw unwritten }
    }

    /// Says that nobody got the answer.
    private static var unwritten: ExitStatus {
        complain("standard output cannot be written: \(String(cString: strerror(errno)))")
        return .noAnswer
    }

    /// Says something that is not the answer.
    static func note(_ text: String) {
        write(
            text.split(separator: "\n").map { SafeText.forTerminal(String($0)) }.joined(separator: "\n") + "\n",
            to: STDERR_FILENO)
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
        var remaining = Array(text.utf8)[...]
        while !remaining.isEmpty {
            let count = remaining.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            remaining = remaining.dropFirst(count)
        }
        return true
    }
}
