// SPDX-License-Identifier: Apache-2.0

/// Searches for a word in a text that arrives in parts.
package struct LiteralSearch: Sendable {
    private let word: [UInt8]
    /// The end of the previous parts, shorter than the word.
    private var tail: [UInt8] = []

    package init(_ word: String) {
        precondition(!word.isEmpty, "an empty word is everywhere")
        self.word = Array(word.utf8)
    }

    /// Returns true if the word ends in this part.
    package mutating func finds(in part: Span<UInt8>) -> Bool {
        let tailCount = tail.count
        let count = tailCount + part.count
        var start = 0
        while start + word.count <= count {
            var matched = 0
            while matched < word.count, word[matched] == byte(start + matched, tailCount, part) { matched += 1 }
            if matched == word.count { return true }
            start += 1
        }
        let rest = (max(0, count - word.count + 1)..<count).map { byte($0, tailCount, part) }
        tail = rest
        return false
    }

    private func byte(_ position: Int, _ tailCount: Int, _ part: Span<UInt8>) -> UInt8 {
        position < tailCount ? tail[position] : part[position - tailCount]
    }
}
