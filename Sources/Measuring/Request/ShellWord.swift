// SPDX-License-Identifier: Apache-2.0

import MemProbe

/// Quotes words for a shell.
package enum ShellWord {
    /// Returns the word unchanged if it has no special characters, else quoted.
    package static func pasted(_ word: String) -> String {
        let isPlain =
            !word.isEmpty && word.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "/._-+:=,".contains($0)) }
        return isPlain ? word : quoted(word)
    }

    /// Returns the word in single quotes, except for the marks of folders, which a shell has to expand.
    ///
    /// A shell expands `~` only at the beginning of a word, so the folders are variables. A byte that is not UTF-8 is
    /// written as `$'\xFF'`, as Bash and POSIX of 2024 read it.
    package static func quoted(_ word: String) -> String {
        var text = ""
        var literal = ""
        for scalar in word.unicodeScalars {
            let folder = ShellFolder(rawValue: Character(scalar)).map { "\"\($0.expansion)\"" }
            let byte = SystemText.byte(of: scalar).map { "$'\\x\(String($0, radix: 16, uppercase: true))'" }
            if let special = folder ?? byte {
                text += literal.isEmpty ? "" : "'\(literal)'"
                text += special
                literal = ""
            } else if scalar == "'" {
                literal += "'\\''"
            } else {
                literal.unicodeScalars.append(scalar)
            }
        }
        return text + (literal.isEmpty && !text.isEmpty ? "" : "'\(literal)'")
    }
}

/// Folders of the user that a printed command leaves to the shell.
///
/// Each is marked by a character of plane 15, which is for private use.
package enum ShellFolder: Character {
    case work = "\u{F0000}"
    case temporary = "\u{F0001}"
    case home = "\u{F0002}"

    /// The expression that a shell expands in double quotes.
    var expansion: String {
        switch self {
        case .work: "$PWD"
        case .temporary: "${TMPDIR:-/tmp}"
        case .home: "$HOME"
        }
    }
}
