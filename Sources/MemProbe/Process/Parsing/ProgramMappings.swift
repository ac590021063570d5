// SPDX-License-Identifier: Apache-2.0

/// The mappings in `maps` of every file that the process maps executable somewhere.
///
/// Their resident pages are the *program pages*: of the program, its libraries and the loader, in any mapping of these
/// files. The kernel maps them around each fault as far as they are in the page cache, so their number depends on how
/// the file got there, not on the program. Memory with a name in the place of a path is excluded: a `memfd` that a
/// just-in-time compiler writes to is the program's own doing.
package struct ProgramMappings: ~Copyable {
    let table = MappingTable()

    package init() {}

    /// True if no mapping was read, as of a process that is gone.
    package var isEmpty: Bool { table.isEmpty }

    /// The address ranges of program pages, resident or not.
    package var ranges: [Range<UInt64>] {
        var ranges: [Range<UInt64>] = []
        for index in 0..<table.count { if let range = table.programRange(at: index) { ranges.append(range) } }
        return ranges
    }

    /// Parses more of the file, in whole lines; throws if there are too many mappings, too.
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
