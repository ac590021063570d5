// SPDX-License-Identifier: Apache-2.0

/// The splitting of a command into words as in a POSIX shell, without expansions.
package enum CommandWords {
    /// Returns words separated by white space; quotes and backslashes preserve it.
    package static func split(_ text: String) throws(CommandMistake) -> [String] {
        var words: [String] = []
        var word: String?
        var quote: (character: Character, position: Int)?
        var isEscaped = false
        for (index, character) in text.enumerated() {
            if isEscaped {
                // Within double quotes a backslash escapes only special characters.
                if quote != nil, !"\\\"$`".contains(character) { word = (word ?? "") + "\\" }
                word = (word ?? "") + String(character)
                isEscaped = false
            } else if character == "\\", quote?.character != "'" {
                isEscaped = true
            } else if let open = quote {
                if character == open.character { quote = nil } else { word = (word ?? "") + String(character) }
            } else if character == "'" || character == "\"" {
                quote = (character, index + 1)
                word = word ?? ""
            } else if character.isWhitespace {
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
