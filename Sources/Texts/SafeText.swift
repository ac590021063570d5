// SPDX-License-Identifier: Apache-2.0

/// Makes text from outside (URLs, server headers, error messages) harmless where it is shown.
package enum SafeText {
    /// The text on one line, without anything that a terminal or the log of a GitHub job would act on: control characters
    /// become `\u{…}`, and so does the bracket of `##[`.
    ///
    /// The runner takes `##[` for a command wherever it stands in a line (`ActionCommand.TryParse`).
    package static func forTerminal(_ text: String) -> String {
        guard !isPlain(text) else { return text }
        var hashes = 0
        return text.unicodeScalars.reduce(into: "") { safe, scalar in
            if isControl(scalar) || (scalar == "[" && hashes > 1) {
                safe += shown(scalar)
            } else {
                safe.unicodeScalars.append(scalar)
            }
            hashes = scalar == "#" ? hashes + 1 : 0
        }
    }

    /// The text of several lines without any that the runner of a GitHub job takes for a command: one that begins with `::`.
    /// - Parameter isAtLineStart: whether the text begins a line.
    package static func withoutCommands(_ text: String, isAtLineStart: Bool = true) -> String {
        // The runner drops white space in front of a command (`ActionCommand.TryParseV2`).
        var (begins, colons) = (isAtLineStart, 0)
        return text.unicodeScalars.reduce(into: "") { safe, scalar in
            colons = begins && scalar == ":" ? colons + 1 : 0
            if colons == 2 {
                safe.unicodeScalars.removeLast()
                safe += shown(":") + ":"
            } else {
                safe.unicodeScalars.append(scalar)
            }
            begins =
                "\r\n".unicodeScalars.contains(scalar)
                || (begins && (scalar.properties.isWhitespace || colons == 1))
        }
    }

    /// A scalar as it is written in the place of one that something would act on.
    private static func shown(_ scalar: Unicode.Scalar) -> String {
        "\\u{" + String(scalar.value, radix: 16) + "}"
    }

    /// Whether nothing needs a closer look, as of nearly every figure and name.
    private static func isPlain(_ text: String) -> Bool {
        text.utf8.allSatisfy { (0x20..<0x7F).contains($0) && $0 != UInt8(ascii: "[") }
    }

    /// The text as plain words in Markdown, inside a line: no character in it starts markup, HTML or a table cell.
    package static func forMarkdown(_ text: String) -> String {
        // By scalars: a mark that combines with a bar would make one character of the two.
        forTerminal(text).unicodeScalars.reduce(into: "") { safe, scalar in
            if "\\`*_[]|~".unicodeScalars.contains(scalar) {
                safe.unicodeScalars += ["\\", scalar]
            } else if let entity = Self.entities[scalar] {
                safe += entity
            } else {
                safe.unicodeScalars.append(scalar)
            }
        }
    }

    private static let entities: [Unicode.Scalar: String] = ["<": "&lt;", ">": "&gt;", "&": "&amp;"]

    /// The text in a Markdown code span, which nothing in it can close.
    package static func asCode(_ text: String) -> String {
        let scalars = forTerminal(text).unicodeScalars.map { $0 == "|" ? "¦" : $0 }
        let safe = scalars.reduce(into: "") { $0.unicodeScalars.append($1) }
        let longest = scalars.split { $0 != "`" }.map(\.count).max() ?? 0
        let fence = String(repeating: "`", count: longest + 1)
        let padding = scalars.first == "`" || scalars.last == "`" ? " " : ""
        return fence + padding + safe + padding + fence
    }

    /// Whether a terminal may act on it: C0, DEL, C1, and what turns the direction of text around.
    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F..<0xA0, 0x61C, 0x200B...0x200F, 0x2028...0x202E, 0x2066...0x2069, 0xFEFF: true
        default: false
        }
    }
}
