// SPDX-License-Identifier: Apache-2.0

import Texts

/// A profile as folded stacks for `flamegraph.pl` and `inferno`: a line per stack, the outermost function first.
///
/// The format has no negative sizes: memory given back since the mark is below a frame of its own,
/// `[given back since the mark]`, and has to be subtracted from the rest.
enum FoldedExport {
    /// Returns the lines, the largest first, each stack once.
    static func text(of profile: HolderProfile) -> String {
        let rows = ProfileRows(profile).withStatesAsFrames
        let words = rows.frames.map { word(for: $0.function) }
        var sums: [String: Int] = [:]
        for row in rows.rows where row.bytes != 0 {
            let names = row.stack.reversed().map { words[$0] }
            let root = row.bytes < 0 ? ["[given back since the mark]"] : []
            let stack = (root + (names.isEmpty ? ["[no stack]"] : names)).joined(separator: ";")
            sums[withoutNumberAtEnd(stack), default: 0] += abs(row.bytes)
        }
        return sums.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
            .map { "\($0.key) \($0.value)\n" }.joined()
    }

    /// Returns a name without characters that would end a frame or a line, or begin a comment.
    private static func word(for name: String) -> String {
        // By scalars: a semicolon and a combining mark are one character.
        var safe = SafeText.forTerminal(name).unicodeScalars.reduce(into: "") {
            $0.unicodeScalars.append($1 == ";" ? "," : $1)
        }
        if safe.unicodeScalars.first == "#" { safe = "_" + safe }
        return safe.allSatisfy(\.isWhitespace) ? "[unnamed]" : safe
    }

    /// Joins a number at the end of the last name, which would be read as a figure: `block 3 4096`.
    private static func withoutNumberAtEnd(_ stack: String) -> String {
        guard let space = stack.lastIndex(where: \.isWhitespace) else { return stack }
        let last = stack[stack.index(after: space)...]
        guard last.wholeMatch(of: #/\d+(?:\.\d*)?/#) != nil else { return stack }
        return stack[..<space] + "_" + last
    }
}
