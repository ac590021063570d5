// SPDX-License-Identifier: Apache-2.0

/// Escaping for XML 1.0.
package enum XMLText {
    /// Returns the text with all forbidden and special characters replaced.
    ///
    /// Control characters become `\u{…}`: XML 1.0 forbids most of them even as references (`Char`, section 2.2), and
    /// the others would reach the terminal that prints the file.
    package static func escaped(_ text: String) -> String {
        JudgementText.safe(text).unicodeScalars.reduce(into: "") { safe, scalar in
            switch scalar {
            case "&": safe += "&amp;"
            case "<": safe += "&lt;"
            case ">": safe += "&gt;"
            case "\"": safe += "&quot;"
            case "'": safe += "&apos;"
            case "\u{FFFE}", "\u{FFFF}": safe += "\\u{" + String(scalar.value, radix: 16) + "}"
            default: safe.unicodeScalars.append(scalar)
            }
        }
    }

    /// Returns an attribute with a leading space.
    static func attribute(_ name: String, _ value: String) -> String {
        " \(name)=\"\(escaped(value))\""
    }
}
