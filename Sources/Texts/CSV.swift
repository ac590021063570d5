// SPDX-License-Identifier: Apache-2.0

/// Comma-separated values by RFC 4180, but with line feeds only, as Unix tools expect.
///
/// Fields may be untrusted text, which is made harmless for terminals, logs of GitHub jobs and spreadsheets.
package enum CSV {
    package static func line(_ fields: [String]) -> String {
        fields.map { quoted(withoutFormula(SafeText.forTerminal($0))) }.joined(separator: ",") + "\n"
    }

    /// Prefixes a field with an apostrophe if a spreadsheet would take it for a formula; numbers stay unchanged.
    private static func withoutFormula(_ field: String) -> String {
        guard let first = field.utf8.first, "=+-@".utf8.contains(first), Double(field) == nil else { return field }
        return "'" + field
    }

    /// Returns a number without a fraction if it is whole, otherwise in full precision; empty for `nil`.
    package static func text(_ value: Double?) -> String {
        guard let value else { return "" }
        return Int(exactly: value).map(String.init) ?? String(value)
    }

    package static func fields(of line: String) -> [String] {
        var fields = [""]
        var isQuoted = false
        var mayDouble = false
        for scalar in line.unicodeScalars {
            switch scalar {
            case "\"" where isQuoted:
                (isQuoted, mayDouble) = (false, true)
                continue
            case "\"":
                isQuoted = true
                if mayDouble { fields[fields.count - 1].unicodeScalars.append(scalar) }
            case "," where !isQuoted: fields.append("")
            default: fields[fields.count - 1].unicodeScalars.append(scalar)
            }
            mayDouble = false
        }
        return fields
    }

    private static func quoted(_ field: String) -> String {
        // The runner of a GitHub job takes a line that begins with two colons for a command.
        let begins = field.utf8.first.map(":\u{20}".utf8.contains) ?? false
        guard begins || field.utf8.contains(where: { $0 == 0x22 || $0 == 0x2C }) else { return field }
        // By scalars, as a combining mark would merge with a quote into one character.
        let inner = field.unicodeScalars.reduce(into: "") { text, scalar in
            text.unicodeScalars.append(scalar)
            if scalar == "\"" { text.unicodeScalars.append(scalar) }
        }
        return "\"" + inner + "\""
    }
}
