// SPDX-License-Identifier: Apache-2.0

/// Text as XML 1.0 can hold it.
package enum XMLText {
    /// The text with every character that XML forbids or that means something in it replaced.
    ///
    /// Control characters are shown as `\u{…}`: most of them are not allowed in XML 1.0, not even as references
    /// (`Char`, section 2.2), and the rest would reach the terminal of whoever prints the file.
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

    /// An attribute with the space before it.
    static func attribute(_ name: String, _ value: String) -> String {
        " \(name)=\"\(escaped(value))\""
    }
}
