// SPDX-License-Identifier: Apache-2.0

/// Words as they can be pasted into a shell.
enum ShellWord {
    /// The word as it is where nothing in it is special, else quoted.
    static func pasted(_ word: String) -> String {
        let isPlain =
            !word.isEmpty && word.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "/._-+:".contains($0)) }
        return isPlain ? word : quoted(word)
    }

    /// The word in single quotes, where none of its characters is special.
    static func quoted(_ word: String) -> String {
        "'" + word.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }
}
