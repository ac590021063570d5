// SPDX-License-Identifier: Apache-2.0

/// The splitting of a command into words as in a POSIX shell, without expansions.
package enum CommandWords {
    /// Returns words separated by spaces, tabs and line feeds, as for a shell; quotes and backslashes preserve them.
    package static func split(_ text: String) throws(CommandMistake) -> [String] {
        var words: [String] = []
        var word: String?
        var quote: (character: Unicode.Scalar, position: Int)?
        var isEscaped = false
        // By scalars: a combining mark would make one character of itself and a quote or a blank.
        for (index, character) in text.unicodeScalars.enumerated() {
            if isEscaped {
                // Within double quotes a backslash escapes only special characters.
                if quote != nil, !"\\\"$`".unicodeScalars.contains(character) { word = (word ?? "") + "\\" }
                word = (word ?? "") + String(character)
                isEscaped = false
            } else if character == "\\", quote?.character != "'" {
                isEscaped = true
            } else if let open = quote {
                if character == open.character { quote = nil } else { word = (word ?? "") + String(character) }
            } else if character == "'" || character == "\"" {
                quote = (character, index + 1)
                word = word ?? ""
            } else if ShellSyntax.blanks.contains(character) {
                if let finished = word { words.append(finished) }
                word = nil
            } else {
                word = (word ?? "") + String(character)
            }
        }
        if let quote { throw .openQuote(position: quote.position) }
        if isEscaped { word = (word ?? "") + "\\" }
        if let finished = word { words.append(finished) }
        return words
    }
}
