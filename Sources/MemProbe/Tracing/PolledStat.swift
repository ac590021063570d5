// SPDX-License-Identifier: Apache-2.0

/// The fields of `/proc/PID/stat` that identify a polled process.
package struct PolledStat: Hashable, Sendable, ParsedText {
    /// Field 2: the name of the program, which the process can change.
    package var name: String
    /// Field 3: `Z` for a process whose first thread has ended.
    package var isZombie: Bool
    /// Field 4: the process that started or adopted it.
    package var parent: Int32
    /// Field 20: the number of threads.
    package var threads: Int
    /// Field 28: the start of the stack, which changes with `exec`; 0 if the kernel hides it.
    package var stackStart: Int

    package init(parsing text: Span<UInt8>) throws(MemProbeError) {
        // The name may contain spaces and parentheses; only single words follow its last parenthesis.
        guard let nameStart = text.indices.first(where: { text[$0] == UInt8(ascii: "(") }),
            let nameEnd = text.indices.last(where: { text[$0] == UInt8(ascii: ")") }), nameStart < nameEnd
        else { throw MemProbeError(.malformed, source: "stat") }
        name = SystemText.string(of: (nameStart + 1..<nameEnd).map { text[$0] })
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
