// SPDX-License-Identifier: Apache-2.0

/// Suggestions for mistyped words.
package enum Suggestion {
    /// Returns the nearest choice by edit distance, or `nil` if none is near.
    /// - Parameter limit: The largest distance; without it, 2 or half of the word.
    package static func nearest(to word: String, among choices: [String], within limit: Int? = nil) -> String? {
        let ranked = choices.map { ($0, distance(Array(word.lowercased()), Array($0.lowercased()))) }
        guard let best = ranked.min(by: { $0.1 < $1.1 }), best.1 <= limit ?? max(2, word.count / 2) else { return nil }
        return best.0
    }

    /// The longest list of choices in an error message, so that it stays within three lines of a terminal.
    private static let longestList = 120

    /// Returns an error message with the word, the nearest choice and all choices.
    /// - Parameter command: The subcommand that lists the choices, which replaces a long list: `list modes`.
    package static func complaint(
        about word: String, of kind: String, choices: [String], listedBy command: String? = nil
    ) -> String {
        let hint = nearest(to: word, among: choices).map { " Did you mean '\($0)'?" } ?? ""
        let list = choices.joined(separator: ", ")
        guard let command, list.count > longestList else {
            return "unknown \(kind) '\(word)'.\(hint) Choices: \(list)."
        }
        return "unknown \(kind) '\(word)'.\(hint) See `fetchbench \(command)`."
    }

    /// Returns the number of insertions, deletions and replacements between two words.
    ///
    /// Wagner and Fischer, "The string-to-string correction problem", J. ACM 21 (1974).
    private static func distance(_ left: [Character], _ right: [Character]) -> Int {
        var row = Array(0...right.count)
        for (index, character) in left.enumerated() {
            var diagonal = row[0]
            row[0] = index + 1
            for column in right.indices {
                let replaced = diagonal + (right[column] == character ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = min(replaced, row[column] + 1, row[column + 1] + 1)
            }
        }
        return row[right.count]
    }
}
