// SPDX-License-Identifier: Apache-2.0

/// Makes text from outside (URLs, server headers, error messages) harmless where it is shown.
public enum SafeText {
    /// The text without anything that a terminal would act on: control characters become `\u{…}`.
    public static func forTerminal(_ text: String) -> String {
        text.unicodeScalars.reduce(into: "") { safe, scalar in
            if isControl(scalar) {
                safe += "\\u{" + String(scalar.value, radix: 16) + "}"
            } else {
                safe.unicodeScalars.append(scalar)
            }
        }
    }

    /// The text as plain words in Markdown, inside a line: no character in it starts markup, HTML or a table cell.
    public static func forMarkdown(_ text: String) -> String {
        forTerminal(text).reduce(into: "") { safe, character in
            if "\\`*_[]|~".contains(character) {
                safe += "\\" + String(character)
            } else if let entity = ["<": "&lt;", ">": "&gt;", "&": "&amp;"][character] {
                safe += entity
            } else {
                safe.append(character)
            }
        }
    }

    /// The text in a Markdown code span, which nothing in it can close.
    public static func asCode(_ text: String) -> String {
        let safe = forTerminal(text).split(separator: "|", omittingEmptySubsequences: false).joined(separator: "¦")
        var fence = "`"
        while safe.contains(fence) { fence += "`" }
        let padding = safe.hasPrefix("`") || safe.hasSuffix("`") ? " " : ""
        return fence + padding + safe + padding + fence
    }

    /// Whether a terminal may act on it: C0, DEL, C1, and what turns the direction of text around.
    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F..<0xA0, 0x200B...0x200F, 0x2028...0x202E, 0x2066...0x2069, 0xFEFF: true
        default: false
        }
    }
}
