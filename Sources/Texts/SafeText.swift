// SPDX-License-Identifier: Apache-2.0

import MemProbe

/// Makes untrusted text (URLs, server headers, error messages) harmless for display.
package enum SafeText {
    /// Returns the text on one line; control characters and the bracket of `##[` become `\u{…}`, a byte that is not
    /// UTF-8 `\xFF`.
    ///
    /// The runner of a GitHub job takes `##[` for a command anywhere in a line (`ActionCommand.TryParse`).
    package static func forTerminal(_ text: String) -> String {
        guard !isPlain(text) else { return text }
        var hashes = 0
        return text.unicodeScalars.reduce(into: "") { safe, scalar in
            if let byte = SystemText.byte(of: scalar) {
                safe += shown(byte)
            } else if isControl(scalar) || (scalar == "[" && hashes > 1) {
                safe += shown(scalar)
            } else {
                safe.unicodeScalars.append(scalar)
            }
            hashes = scalar == "#" ? hashes + 1 : 0
        }
    }

    /// Returns the text with each byte that is not UTF-8 as `\xFF`, and all else as it is.
    package static func withBytesShown(_ text: String) -> String {
        guard !SystemText.isUTF8(text) else { return text }
        return text.unicodeScalars.reduce(into: "") { safe, scalar in
            if let byte = SystemText.byte(of: scalar) {
                safe += shown(byte)
            } else {
                safe.unicodeScalars.append(scalar)
            }
        }
    }

    /// Escapes lines that begin with `::`, which the runner of a GitHub job takes for a command.
    /// - Parameter isAtLineStart: True if the text begins a line.
    package static func withoutCommands(_ text: String, isAtLineStart: Bool = true) -> String {
        // The runner ignores white space before a command (`ActionCommand.TryParseV2`).
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

    private static func shown(_ scalar: Unicode.Scalar) -> String {
        "\\u{" + String(scalar.value, radix: 16) + "}"
    }

    private static func shown(_ byte: UInt8) -> String { "\\x" + String(byte, radix: 16, uppercase: true) }

    /// True if no escape can be needed, as in nearly all figures and names.
    private static func isPlain(_ text: String) -> Bool {
        text.utf8.allSatisfy { (0x20..<0x7F).contains($0) && $0 != UInt8(ascii: "[") }
    }

    /// Escapes the text for a line of Markdown: none of it starts markup, HTML or a table cell.
    package static func forMarkdown(_ text: String) -> String {
        // By scalars, as a combining mark would merge with a bar into one character.
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

    package static func asCode(_ text: String) -> String {
        let scalars = forTerminal(text).unicodeScalars.map { $0 == "|" ? "¦" : $0 }
        let safe = scalars.reduce(into: "") { $0.unicodeScalars.append($1) }
        let longest = scalars.split { $0 != "`" }.map(\.count).max() ?? 0
        let fence = String(repeating: "`", count: longest + 1)
        let padding = scalars.first == "`" || scalars.last == "`" ? " " : ""
        return fence + padding + safe + padding + fence
    }

    /// True if a terminal may act on it: C0, DEL, C1 and bidirectional controls.
    static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F..<0xA0, 0x61C, 0x200B...0x200F, 0x2028...0x202E, 0x2066...0x2069, 0xFEFF: true
        default: false
        }
    }
}

/// The parts of a path, as `basename` and `dirname` print them, without access to the file system.
package enum PathText {
    /// Returns the last part of a path: `fetchbench` for `/usr/bin/fetchbench`.
    package static func name(of path: String) -> String {
        path.split(separator: "/").last.map(String.init) ?? path
    }

    /// Returns the folder of a path: `/usr/bin` for `/usr/bin/fetchbench`, `.` for `fetchbench`.
    package static func folder(of path: String) -> String {
        let whole = withoutTrailingSlashes(path)
        guard let slash = whole.lastIndex(of: "/") else { return "." }
        return withoutTrailingSlashes(whole[..<whole.index(after: slash)])
    }

    private static func withoutTrailingSlashes(_ path: some StringProtocol) -> String {
        let end = path.lastIndex { $0 != "/" }.map { path.index(after: $0) }
        return end.map { String(path[..<$0]) } ?? String(path.prefix(1))
    }
}
