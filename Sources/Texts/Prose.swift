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

    /// Returns a name of at most `length` characters: what does not fit is taken out of its middle, as names differ at
    /// either end.
    package static func cut(_ name: String, to length: Int) -> String {
        guard name.count > length, length > 1 else { return name }
        return name.prefix(length / 2) + "…" + name.suffix(length - length / 2 - 1)
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
