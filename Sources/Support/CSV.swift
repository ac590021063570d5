// SPDX-License-Identifier: Apache-2.0

/// Comma-separated values as RFC 4180 has them, with bare line feeds as every Unix tool reads them.
package enum CSV {
    /// One line with its end.
    package static func line(_ fields: [String]) -> String {
        fields.map(quoted).joined(separator: ",") + "\n"
    }

    /// A number: whole where it is whole, else in full precision; empty where it is absent.
    package static func text(_ value: Double?) -> String {
        guard let value else { return "" }
        return Int(exactly: value).map(String.init) ?? String(value)
    }

    private static func quoted(_ field: String) -> String {
        guard field.utf8.contains(where: { [0x22, 0x2C, 0x0A, 0x0D].contains($0) }) else { return field }
        // By scalars: a mark that combines with a quote would make one character of the two.
        let inner = field.unicodeScalars.reduce(into: "") { text, scalar in
            text.unicodeScalars.append(scalar)
            if scalar == "\"" { text.unicodeScalars.append(scalar) }
        }
        return "\"" + inner + "\""
    }
}
