// SPDX-License-Identifier: Apache-2.0

/// Makes text from outside (URLs, server headers, error messages) harmless where it is shown.
package enum SafeText {
    /// The text without anything that a terminal would act on: control characters become `\u{…}`.
    package static func forTerminal(_ text: String) -> String {
        text.unicodeScalars.reduce(into: "") { safe, scalar in
            if isControl(scalar) {
                safe += "\\u{" + String(scalar.value, radix: 16) + "}"
            } else {
                safe.unicodeScalars.append(scalar)
            }
        }
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
