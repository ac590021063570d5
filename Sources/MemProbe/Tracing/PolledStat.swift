// SPDX-License-Identifier: Apache-2.0

/// The fields of `/proc/PID/stat` by which a polled process is followed.
package struct PolledStat: Hashable, Sendable, ParsedText {
    /// Field 2: the name of the program, as the process chose it.
    package var name: String
    /// Field 3: `Z` for a process whose first thread has ended.
    package var isZombie: Bool
    /// Field 4: the process that began it, or that took it over.
    package var parent: Int32
    /// Field 20: how many threads it has.
    package var threads: Int
    /// Field 28: where the stack begins, which another program has elsewhere; 0 where the kernel hides it.
    package var stackStart: Int

    /// Parses the file.
    ///
    /// - Throws: ``MemProbeError/Code/malformed`` where a field is missing or no number.
    package init(parsing text: Span<UInt8>) throws(MemProbeError) {
        // The name may hold blanks and parentheses of its own; after its last one come single words only.
        guard let nameStart = text.indices.first(where: { text[$0] == UInt8(ascii: "(") }),
            let nameEnd = text.indices.last(where: { text[$0] == UInt8(ascii: ")") }), nameStart < nameEnd
        else { throw MemProbeError(.malformed, source: "stat") }
        name = String(decoding: (nameStart + 1..<nameEnd).map { text[$0] }, as: UTF8.self)
        var scanner = ByteScanner()
        scanner.position = nameEnd + 1
        scanner.skipBlanks(in: text)
        isZombie = scanner.position < text.count && text[scanner.position] == UInt8(ascii: "Z")
        scanner.skipWord(in: text)
        var fields: [Int] = []
        for field in 4...28 {
            scanner.skipBlanks(in: text)
            let isWanted = [4, 20, 28].contains(field)
            guard isWanted else {
                scanner.skipWord(in: text)
                continue
            }
            guard let number = scanner.number(in: text) else { throw MemProbeError(.malformed, source: "stat") }
            fields.append(number)
        }
        guard let parent = Int32(exactly: fields[0]) else { throw MemProbeError(.malformed, source: "stat") }
        self.parent = parent
        threads = fields[1]
        stackStart = fields[2]
    }
}
