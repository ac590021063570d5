// SPDX-License-Identifier: Apache-2.0

package import Runs

/// The cases that a budget limits: a pattern over their identifiers `asset/mode/render/allocator[/conditions]`.
///
/// `*` stands for any text, the empty one and the slashes in it included: `hero/*` is every case of the hero,
/// `*/glibc` every case on glibc under the usual conditions (and not on glibc-pinned), `hero/data/*/glibc` what its name says. All else stands
/// for itself, capitals included, and the whole identifier has to match. Of a plain command, whose identifier is
/// `name/allocator[/parameters]`, the name alone means every case of it.
package struct BudgetScope: Hashable, Sendable {
    /// The pattern.
    package let pattern: String

    /// Takes the pattern out of the text before a colon; `nil` where there is none.
    init?(trimming scalars: ArraySlice<Unicode.Scalar>) {
        let trimmed = scalars.drop { $0.properties.isWhitespace }
        let end = trimmed.lastIndex { !$0.properties.isWhitespace }
        guard let end else { return nil }
        pattern = trimmed[...end].reduce(into: "") { $0.unicodeScalars.append($1) }
    }

    /// Whether a case is meant; a wildcard never means the null case.
    package func matches(_ cell: Case) -> Bool {
        if cell.isNull, !pattern.hasPrefix(Case.nullAsset + "/") { return false }
        let names = cell.isPlain ? [cell.identifier, cell.mode] : [cell.identifier]
        return names.contains { Self.matches(Array(pattern.utf8), Array($0.utf8)) }
    }

    /// Compares from left to right; after a mismatch the last `*` takes one byte more.
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
