// SPDX-License-Identifier: Apache-2.0

/// Tells plain words from what only a shell understands.
enum ShellSyntax {
    /// What is special to a shell wherever it stands outside of quotes.
    private static let special: Set<Character> = ["|", "&", ";", "<", ">", "(", ")", "$", "`", "*", "?", "[", "{", "}"]
    /// What is special where a word begins.
    private static let specialFirst: Set<Character> = ["~", "#", "!"]

    /// The words that a shell does itself, and for which there need be no program.
    private static let ownWords: Set<String> = [
        ".", ":", "alias", "bg", "break", "builtin", "case", "cd", "command", "continue", "eval", "exec", "exit",
        "export", "fg", "for", "function", "getopts", "hash", "if", "jobs", "local", "read", "readonly", "return",
        "select", "set", "shift", "source", "time", "times", "trap", "type", "ulimit", "umask", "unalias", "unset",
        "until", "wait", "while",
    ]

    /// Whether a command has to be given to a shell; a doubt is decided for the shell, which is always right.
    static func isNeeded(for command: String) -> Bool {
        hasSpecialCharacters(command) || beginsLikeAShell(command)
    }

    private static func hasSpecialCharacters(_ command: String) -> Bool {
        var quote: Character?
        var isEscaped = false
        var beginsWord = true
        for character in command {
            let wasBeginning = beginsWord
            beginsWord = false
            if isEscaped {
                // A line that goes on is joined by a shell alone.
                if character.isNewline { return true }
                isEscaped = false
            } else if character == "\\", quote != "'" {
                isEscaped = true
            } else if let open = quote {
                if character == open {
                    quote = nil
                } else if open == "\"", character == "$" || character == "`" {
                    return true
                }
            } else if character == "'" || character == "\"" {
                quote = character
            } else if character.isWhitespace {
                // A shell ends a command at a line's end, and takes other blanks for characters.
                guard character == " " || character == "\t" else { return true }
                beginsWord = true
            } else if special.contains(character) || (wasBeginning && specialFirst.contains(character)) {
                return true
            }
        }
        return false
    }

    /// Whether the first word is an assignment, or one of a shell's own.
    private static func beginsLikeAShell(_ command: String) -> Bool {
        let first = command.drop(while: \.isWhitespace).prefix { !$0.isWhitespace }
        guard let equals = first.firstIndex(of: "=") else { return ownWords.contains(String(first)) }
        let name = first[..<equals]
        return name.first.map { !$0.isNumber } == true
            && name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
    }
}
