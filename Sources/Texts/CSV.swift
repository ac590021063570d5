// SPDX-License-Identifier: Apache-2.0

/// Comma-separated values as RFC 4180 has them, with bare line feeds as every Unix tool reads them.
///
/// Any field may be text from outside: none of it acts on a terminal, on the log of a GitHub job or on a spreadsheet.
package enum CSV {
    package static func line(_ fields: [String]) -> String {
        fields.map { quoted(withoutFormula(SafeText.forTerminal($0))) }.joined(separator: ",") + "\n"
    }

    /// The field behind an apostrophe where a spreadsheet would take it for a formula; a number stays as it is.
    private static func withoutFormula(_ field: String) -> String {
        guard let first = field.utf8.first, "=+-@".utf8.contains(first), Double(field) == nil else { return field }
        return "'" + field
    }

    /// A number: whole where it is whole, else in full precision; empty where it is absent.
    package static func text(_ value: Double?) -> String {
        guard let value else { return "" }
        return Int(exactly: value).map(String.init) ?? String(value)
    }

    private static func quoted(_ field: String) -> String {
        // The runner of a GitHub job takes a line that begins with two colons for a command.
        let begins = field.utf8.first.map(":\u{20}".utf8.contains) ?? false
        guard begins || field.utf8.contains(where: { $0 == 0x22 || $0 == 0x2C }) else { return field }
        // By scalars: a mark that combines with a quote would make one character of the two.
        let inner = field.unicodeScalars.reduce(into: "") { text, scalar in
            text.unicodeScalars.append(scalar)
            if scalar == "\"" { text.unicodeScalars.append(scalar) }
        }
        return "\"" + inner + "\""
    }
}
