// SPDX-License-Identifier: Apache-2.0

/// Running text in lines of limited width.
package enum Prose {
    /// The width of the terminals that all output is made for.
    package static let width = 80

    /// Returns the text with line breaks at spaces, so that no line is wider than `width`; longer words stay whole.
    ///
    /// Line breaks of the text stay; following lines of a paragraph are indented.
    /// - Parameter indent: The number of spaces before each line but the first of a paragraph.
    package static func wrapped(_ text: String, width: Int = width, indent: Int = 0) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { paragraph(String($0), width, indent) }
            .joined(separator: "\n")
    }

    /// Returns the words of a line; a unit stays with its number, and an arrow with the name behind it.
    private static func words(of text: String) -> [String] {
        text.split(separator: " ").reduce(into: []) { words, word in
            let isUnit = ["%", "MiB", "KiB", "ms", "·"].contains { word.hasPrefix($0) && word.count <= $0.count + 2 }
            if let last = words.last, isUnit || last.hasSuffix("←") || last.hasSuffix("·") {
                words[words.count - 1] = last + " " + word
            } else {
                words.append(String(word))
            }
        }
    }

    /// Returns a name of at most `length` characters, which differs from all others that do.
    ///
    /// Its middle is taken out, as names mostly differ at either end, or else all but the surroundings of the place where
    /// another one differs; a name that is alike in both ways stays whole.
    package static func cut(_ name: String, to length: Int, among names: [String] = []) -> String {
        guard name.count > length, length > 1 else { return name }
        let middle = { (name: String) in
            guard name.count > length else { return name }
            return name.prefix(length / 2) + "…" + name.suffix(length - length / 2 - 1)
        }
        let alike = names.filter { $0 != name && middle($0) == middle(name) }
        guard let same = alike.map({ zip($0, name).prefix { $0 == $1 }.count }).min() else { return middle(name) }
        let window = { (name: String) in "…" + name.dropFirst(max(1, same - length / 3)).prefix(length - 2) + "…" }
        return names.contains { $0 != name && window($0) == window(name) } ? name : window(name)
    }

    private static func paragraph(_ text: String, _ width: Int, _ indent: Int) -> String {
        guard text.count > width else { return text }
        // Leading spaces are layout.
        let margin = String(text.prefix { $0 == " " })
        var lines = [margin]
        var isEmpty = true
        for word in words(of: text) {
            let line = lines[lines.count - 1]
            if isEmpty {
                lines[lines.count - 1] += word
            } else if line.count + 1 + word.count <= width {
                lines[lines.count - 1] += " " + word
            } else {
                lines.append(margin + String(repeating: " ", count: indent) + word)
            }
            isEmpty = false
        }
        return lines.joined(separator: "\n")
    }
}

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
