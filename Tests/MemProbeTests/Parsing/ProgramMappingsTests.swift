// SPDX-License-Identifier: Apache-2.0

import MemProbe
import Testing

@Suite struct ProgramMappingsTests {
    /// The program with all its mappings, the libraries, the deleted one among them; no data, memory, heap and stack.
    private static let expected: [Range<UInt64>] = [
        0x55d0_c0a0_0000..<0x55d0_c0a2_5000, 0x55d0_c0a2_5000..<0x55d0_c0b0_0000, 0x55d0_c0b0_0000..<0x55d0_c0b1_0000,
        0x7f00_0020_0000..<0x7f00_0030_0000, 0x7f00_0030_0000..<0x7f00_0040_0000, 0x7f00_0070_0000..<0x7f00_0080_0000,
    ]

    @Test func theMappingsOfExecutableFilesAreFound() throws {
        var mappings = ProgramMappings()
        let isEmpty = mappings.isEmpty
        #expect(isEmpty)
        try mappings.read(Self.maps)
        let (ranges, isStillEmpty) = (mappings.ranges, mappings.isEmpty)
        #expect(ranges == Self.expected)
        #expect(!isStillEmpty)
    }

    @Test func piecesOfWholeLinesAreOneFile() throws {
        var mappings = ProgramMappings()
        for line in Self.maps.split(separator: "\n") { try mappings.read("\(line)\n") }
        let ranges = mappings.ranges
        #expect(ranges == Self.expected)
    }

    @Test(arguments: [
        "7f00-7f01 r-x 00000000 fe:00 12 /usr/bin/program\n", "7f00-7f01 r-xp 00000000 fe00 12 /usr/bin/program\n",
        "7f00-7f01 r-xp 00000000 fe:00 many /usr/bin/program\n", "7f00-7f01\n", "7f00-7f01 r-xp 00000000 fe:00",
        "7f02-7f01 r-xp 00000000 fe:00 12 /usr/bin/program\n", "7f00 r-xp 00000000 fe:00 12 /usr/bin/program\n",
        "7f00-7f01 r-xp 00000000 123456789:00 12 /usr/bin/program\n", "Rss: 4 kB\n",
        "10000000000000000-10000000000001000 r-xp 00000000 fe:00 12 /usr/bin/program\n",
    ])
    func unknownTextThrows(text: String) {
        var mappings = ProgramMappings()
        let error = #expect(throws: MemProbeError.self) { try mappings.read(text) }
        #expect(error?.code == .malformed)
    }

    @Test func moreMappingsThanAreKeptApartAreSaidToBe() {
        var mappings = ProgramMappings()
        let line = "7f00-7f01 r--p 00000000 fe:00 12 /data\n"
        let error = #expect(throws: MemProbeError.self) {
            for _ in 0..<66 { try mappings.read(String(repeating: line, count: 1000)) }
        }
        #expect(error?.code == .exhausted)
    }

    @Test(
        arguments: [
            (0xa000_0000_0000_0000, true), (0xa080_0000_0001_2345, true), (0x8000_0000_0000_0001, false),
            (0x2000_0000_0000_0000, false), (0, false), (0x4000_0000_0000_0000, false),
        ] as [(UInt64, Bool)])
    func aPageOfAFileIsTold(entry: UInt64, isCounted: Bool) {
        #expect(ProgramMappings.PagemapEntry(rawValue: entry).isResidentFilePage == isCounted)
    }

    fileprivate static let maps = """
        55d0c0a00000-55d0c0a25000 r--p 00000000 fe:00 1234                       /usr/bin/a program
        55d0c0a25000-55d0c0b00000 r-xp 00025000 fe:00 1234                       /usr/bin/a program
        55d0c0b00000-55d0c0b10000 rw-p 00100000 fe:00 1234                       /usr/bin/a program
        55d0c0c00000-55d0c0d00000 rw-p 00000000 00:00 0                          [heap]
        7f0000000000-7f0000100000 r--p 00000000 fe:01 1234                       /usr/lib/locale/locale-archive
        7f0000200000-7f0000300000 r--p 00000000 fe:00 77                         /usr/lib/libc.so.6
        7f0000300000-7f0000400000 r-xp 00100000 fe:00 77                         /usr/lib/libc.so.6
        7f0000500000-7f0000600000 rwxp 00000000 00:01 99                         /memfd:doublemapper (deleted)
        7f0000600000-7f0000700000 rwxp 00000000 00:00 0
        7f0000700000-7f0000800000 r-xp 00000000 103:2 55                         /usr/lib/old.so (deleted)
        7ffd00000000-7ffd00002000 r-xp 00000000 00:00 0                          [vdso]

        """
}

struct ExecutableFilesTests {
    private static let maps =
        ProgramMappingsTests.maps + """
            7f0000400000-7f0000410000 r-xp 00200000 fe:00 77                         /usr/lib/libc.so.6
            7ffd00003000-7ffd00004000 --xp 00000000 fe:00 78                         /usr/lib/größe.so
            """

    @Test func eachFileThatCanBeExecutedIsFoundOnce() throws {
        #expect(
            try ExecutableFiles(parsing: Self.maps).paths == [
                "/usr/bin/a program", "/usr/lib/libc.so.6", "/usr/lib/old.so (deleted)", "/usr/lib/größe.so",
            ])
    }

    @Test func anEmptyFileHasNoMappings() throws {
        #expect(try ExecutableFiles(parsing: "").paths.isEmpty)
    }

    @Test(arguments: ["\n", "x\n", "7f00-7f01 r-xp 00000000 fe:00\n", "7f02-7f01 r-xp 00000000 fe:00 12 /a\n"])
    func unknownTextThrows(text: String) {
        #expect(throws: MemProbeError(.malformed, source: "maps")) { try ExecutableFiles(parsing: text) }
    }

    /// Wherever it is cut off: understood or refused, and never more than there is.
    @Test func everyBeginningIsUnderstoodOrRefused() throws {
        let whole = try ExecutableFiles(parsing: Self.maps).paths
        let bytes = Array(Self.maps.utf8)
        for count in bytes.indices {
            let beginning = Array(bytes.prefix(count))
            guard let files = try? ExecutableFiles(parsing: beginning.span) else { continue }
            #expect(files.paths.count <= whole.count)
            #expect(files.paths.dropLast() == whole.prefix(max(0, files.paths.count - 1)))
        }
    }
}
