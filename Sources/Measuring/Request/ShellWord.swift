// SPDX-License-Identifier: Apache-2.0

/// Words as they can be pasted into a shell.
package enum ShellWord {
    /// The word as it is where nothing in it is special, else quoted.
    package static func pasted(_ word: String) -> String {
        let isPlain =
            !word.isEmpty && word.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "/._-+:=,".contains($0)) }
        return isPlain ? word : quoted(word)
    }

    /// The word in single quotes, where none of its characters is special, but for the marks of folders: a shell puts
    /// those folders back, which it does for a `~` at the beginning of a word alone.
    package static func quoted(_ word: String) -> String {
        var text = ""
        var literal = ""
        for character in word {
            if let folder = ShellFolder(rawValue: character) {
                text += literal.isEmpty ? "" : "'\(literal)'"
                text += "\"\(folder.expansion)\""
                literal = ""
            } else {
                literal += character == "'" ? "'\\''" : String(character)
            }
        }
        return text + (literal.isEmpty && !text.isEmpty ? "" : "'\(literal)'")
    }
}

/// Folders of the user that no printed command names; a shell does.
///
/// Each is marked by a character of the last private plane but one, to which no standard gives a meaning.
package enum ShellFolder: Character {
    /// The working directory.
    case work = "\u{F0000}"
    /// The folder for temporary files.
    case temporary = "\u{F0001}"
    /// The user's home.
    case home = "\u{F0002}"

    /// What a shell expands, in double quotes.
    var expansion: String {
        switch self {
        case .work: "$PWD"
        case .temporary: "${TMPDIR:-/tmp}"
        case .home: "$HOME"
        }
    }
}
