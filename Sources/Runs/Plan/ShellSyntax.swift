// SPDX-License-Identifier: Apache-2.0

/// The detection of shell syntax in commands.
enum ShellSyntax {
    /// The characters that are special anywhere outside of quotes.
    private static let special: Set<Unicode.Scalar> = [
        "|", "&", ";", "<", ">", "(", ")", "$", "`", "*", "?", "[", "{", "}",
    ]
    /// The characters that are special at the beginning of a word.
    private static let specialFirst: Set<Unicode.Scalar> = ["~", "#", "!"]
    /// The word separators; other white space is part of a word.
    static let blanks: Set<Unicode.Scalar> = [" ", "\t", "\n"]

    /// The keywords and builtins of shells, which need not exist as programs.
    private static let ownWords: Set<String> = [
        ".", ":", "alias", "bg", "break", "builtin", "case", "cd", "command", "continue", "eval", "exec", "exit",
        "export", "fg", "for", "function", "getopts", "hash", "if", "jobs", "local", "read", "readonly", "return",
        "select", "set", "shift", "source", "time", "times", "trap", "type", "ulimit", "umask", "unalias", "unset",
        "until", "wait", "while",
    ]

    /// True if a command needs a shell; in doubt it is true, which is always correct.
    static func isNeeded(for command: String) -> Bool {
        hasSpecialCharacters(command) || beginsLikeAShell(command)
    }

    private static func hasSpecialCharacters(_ command: String) -> Bool {
        var quote: Unicode.Scalar?
        var isEscaped = false
        var beginsWord = true
        for character in command.unicodeScalars {
            let wasBeginning = beginsWord
            beginsWord = false
            if isEscaped {
                // Only a shell joins continued lines.
                if character == "\n" { return true }
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
            } else if blanks.contains(character) {
                // A shell ends a command at a line feed.
                if character == "\n" { return true }
                beginsWord = true
            } else if special.contains(character) || (wasBeginning && specialFirst.contains(character)) {
                return true
            }
        }
        return false
    }

    /// True if the first word is an assignment, a keyword or a builtin.
    private static func beginsLikeAShell(_ command: String) -> Bool {
        let first = String(
            command.unicodeScalars.drop { blanks.contains($0) }.prefix { !blanks.contains($0) })
        guard let equals = first.firstIndex(of: "=") else { return ownWords.contains(first) }
        let name = first[..<equals]
        return name.first.map { !$0.isNumber } == true
            && name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
    }
}
