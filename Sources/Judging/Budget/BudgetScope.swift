// SPDX-License-Identifier: Apache-2.0

package import Runs

/// A pattern over case identifiers: `asset/mode/render/allocator[/conditions]`.
///
/// Those of plain commands are `name/allocator[/parameters]`, all of which match the name alone.
///
/// `*` matches any text, empty or with slashes: `hero/*` matches every case of the asset, `*/glibc` those on glibc
/// under default conditions (not glibc-pinned). Everything else is literal and case-sensitive, and the whole
/// identifier has to match.
package struct BudgetScope: Hashable, Sendable {
    package let pattern: String

    /// Trims the text before the colon; `nil` if it is blank.
    init?(trimming scalars: ArraySlice<Unicode.Scalar>) {
        let trimmed = scalars.drop { $0.properties.isWhitespace }
        let end = trimmed.lastIndex { !$0.properties.isWhitespace }
        guard let end else { return nil }
        pattern = trimmed[...end].reduce(into: "") { $0.unicodeScalars.append($1) }
    }

    /// True if a case matches; a wildcard does not match the null case.
    package func matches(_ cell: Case) -> Bool {
        if cell.isNull, !pattern.hasPrefix(Case.nullAsset + "/") { return false }
        let names = cell.isPlain ? [cell.identifier, cell.mode] : [cell.identifier]
        return names.contains { Self.matches(Array(pattern.utf8), Array($0.utf8)) }
    }

    /// Matches from left to right; after a mismatch the last `*` takes one more byte.
    private static func matches(_ pattern: [UInt8], _ name: [UInt8]) -> Bool {
        let star = UInt8(ascii: "*")
        var at = (pattern: 0, name: 0)
        var retry: (pattern: Int, name: Int)?
        while at.name < name.count {
            if at.pattern < pattern.count, pattern[at.pattern] == star {
                retry = (at.pattern + 1, at.name)
                at.pattern += 1
            } else if at.pattern < pattern.count, pattern[at.pattern] == name[at.name] {
                at = (at.pattern + 1, at.name + 1)
            } else if let last = retry {
                retry = (last.pattern, last.name + 1)
                at = (last.pattern, last.name + 1)
            } else {
                return false
            }
        }
        return pattern[at.pattern...].allSatisfy { $0 == star }
    }
}
