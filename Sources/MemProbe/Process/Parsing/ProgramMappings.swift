// SPDX-License-Identifier: Apache-2.0

/// Finds, in the text of `maps`, the mappings of every file that the process maps executable somewhere.
///
/// What is resident of them are the *program pages*: of the program, its libraries and the loader, whichever of a file's
/// mappings they are in. The kernel maps them around each fault as far as the page cache holds them, so how many are
/// resident depends on how the file got there, and not on the program. Memory that has a name in the place of a file's,
/// such as the `memfd` into which a just-in-time compiler writes, is none of them: that is the program's doing.
package struct ProgramMappings: ~Copyable {
    private let table = MappingTable()

    /// Creates an empty list; it makes room for all that it will read.
    package init() {}

    /// Whether no mapping was read: a process that is gone has none.
    package var isEmpty: Bool { table.isEmpty }

    /// The addresses of program pages, resident or not, each mapping's first and the one behind its last.
    package var ranges: [Range<UInt64>] {
        var ranges: [Range<UInt64>] = []
        for index in 0..<table.count { if let range = table.programRange(at: index) { ranges.append(range) } }
        return ranges
    }

    var count: Int { table.count }

    /// The addresses of a mapping, or `nil` of a file that is not executable anywhere.
    func programRange(at index: Int) -> Range<UInt64>? { table.programRange(at: index) }

    mutating func removeAll() {
        table.removeAll()
    }

    /// Reads more of the file, in whole lines.
    ///
    /// - Throws: ``MemProbeError/Code/malformed`` with what is not understood, ``MemProbeError/Code/exhausted`` where
    ///   there are more mappings than are kept apart.
    package mutating func read(_ text: Span<UInt8>) throws(MemProbeError) {
        var scanner = ByteScanner()
        while !scanner.isAtEnd(of: text) {
            try readLine(&scanner, text)
            scanner.skipLine(in: text)
        }
    }

    package mutating func read(_ text: String) throws(MemProbeError) {
        let bytes = Array(text.utf8)
        try read(bytes.span)
    }

    private mutating func readLine(_ scanner: inout ByteScanner, _ text: Span<UInt8>) throws(MemProbeError) {
        table.noteLine()
        let line = try MapsLine(&scanner, text)
        guard let file = line.file else { return }
        try table.add(line.addresses, of: file, isExecutable: line.isExecutable)
    }
}
