// SPDX-License-Identifier: Apache-2.0

import Texts

/// A mapping of a process from `/proc/PID/smaps`; sizes in bytes.
package struct Mapping: Hashable, Sendable {
    package var range: Range<UInt64>
    /// Such as `r-xp`.
    package var permissions: String
    /// Its start in its file, in bytes.
    package var offset: UInt64
    /// The file, or the kernel's name in brackets; empty for anonymous memory.
    package var path: String
    package var resident = 0
    /// The part of ``resident`` that is not backed by a file.
    package var anonymous = 0

    package var isExecutable: Bool { permissions.contains("x") }
    package var isAccessible: Bool { !permissions.hasPrefix("---") }
    package var isFile: Bool { path.hasPrefix("/") }

    /// True for anonymous memory, also if the program has named it (`[anon:…]`).
    package var isAnonymous: Bool { path.isEmpty || path.hasPrefix("[anon:") }

    var isOfRecorder: Bool { path.hasSuffix("/" + Recording.library) }

    /// Parses the text of `smaps`; throws ``RecordingError/malformed(_:)`` with the first invalid line.
    package static func parse(_ text: Substring.UTF8View) throws(RecordingError) -> [Mapping] {
        var mappings: [Mapping] = []
        for line in text.split(separator: UInt8(ascii: "\n")) {
            if let first = line.first, first >= UInt8(ascii: "A"), first <= UInt8(ascii: "Z") {
                guard !mappings.isEmpty else { throw .malformed("a field without a mapping") }
                mappings[mappings.count - 1].take(field: line)
            } else {
                guard let mapping = Mapping(heading: Substring(line)) else {
                    throw .malformed("a mapping: \(SafeText.forTerminal(String(Substring(line).prefix(80))))")
                }
                mappings.append(mapping)
            }
        }
        return mappings
    }

    private init?(heading: Substring) {
        let words = heading.split(separator: " ", maxSplits: 5, omittingEmptySubsequences: true)
        guard words.count >= 5 else { return nil }
        let ends = words[0].split(separator: "-")
        guard ends.count == 2, let start = UInt64(ends[0], radix: 16), let end = UInt64(ends[1], radix: 16),
            start < end, end - start < 1 << 57, let offset = UInt64(words[2], radix: 16)
        else { return nil }
        range = start..<end
        permissions = String(words[1])
        self.offset = offset
        path = words.count > 5 ? String(words[5].drop { $0 == " " }) : ""
    }

    private mutating func take(field line: Substring.UTF8View.SubSequence) {
        if line.starts(with: "Rss:".utf8) { resident = Self.bytes(line) }
        if line.starts(with: "Anonymous:".utf8) { anonymous = Self.bytes(line) }
    }

    private static func bytes(_ line: Substring.UTF8View.SubSequence) -> Int {
        // At most 12 digits (a petabyte), which cannot overflow.
        let digits = line.drop { !(48...57).contains($0) }.prefix { (48...57).contains($0) }.prefix(12)
        return digits.reduce(0) { $0 * 10 + Int($1 - 48) } * 1024
    }
}
