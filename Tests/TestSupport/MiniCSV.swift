// SPDX-License-Identifier: Apache-2.0

/// A reader of RFC 4180 that shares nothing with the writer under test.
package enum MiniCSV {
    package static func rows(of text: String) -> [[String]] {
        var rows: [[String]] = []
        var row: [String] = []
        var field = String.UnicodeScalarView()
        var isQuoted = false
        var scalars = Array(text.unicodeScalars)[...]
        while let scalar = scalars.popFirst() {
            switch (scalar, isQuoted) {
            case ("\"", true) where scalars.first == "\"":
                field.append(scalar)
                scalars.removeFirst()
            case ("\"", _): isQuoted.toggle()
            case (",", false):
                row.append(String(field))
                field = String.UnicodeScalarView()
            case ("\n", false):
                rows.append(row + [String(field)])
                row = []
                field = String.UnicodeScalarView()
            default: field.append(scalar)
            }
        }
        return rows
    }

    /// The rows below the header, by the names of the columns.
    package static func records(of text: String) -> [[String: String]] {
        let rows = rows(of: text)
        guard let header = rows.first else { return [] }
        return rows.dropFirst().map { Dictionary(zip(header, $0)) { first, _ in first } }
    }
}
