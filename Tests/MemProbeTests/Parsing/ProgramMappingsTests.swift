// SPDX-License-Identifier: Apache-2.0

import MemProbe
import Testing

@Suite struct ProgramMappingsTests {
    @Test func theFilesThatAreMappedExecutableAreAddedUp() throws {
        var mappings = ProgramMappings()
        let isEmpty = mappings.isEmpty
        #expect(isEmpty)
        try mappings.read(Self.smaps)
        let (sum, isStillEmpty) = (mappings.byteCount, mappings.isEmpty)
        // The program 8 + 16 + (12 - 8), the library 4 + 20, the deleted library 4; nothing of data, memory and stack.
        #expect(sum == .kibibytes(8 + 16 + 4 + 4 + 20 + 4))
        #expect(!isStillEmpty)
    }

    @Test func piecesOfWholeLinesAreOneFile() throws {
        var mappings = ProgramMappings()
        for line in Self.smaps.split(separator: "\n", omittingEmptySubsequences: false) {
            try mappings.read("\(line)\n")
        }
        let sum = mappings.byteCount
        #expect(sum == .kibibytes(56))
    }

    @Test(arguments: [
        "7f00-7f01 r-x 00000000 fe:00 12 /usr/bin/program\n", "7f00-7f01 r-xp 00000000 fe00 12 /usr/bin/program\n",
        "7f00-7f01 r-xp 00000000 fe:00 many /usr/bin/program\n", "7f00-7f01\n", "7f00-7f01 r-xp 00000000 fe:00",
        "7f00-7f01 r-xp 00000000 fe:00 12 /usr/bin/program\nRss: 4 MB\n",
        "7f00-7f01 r-xp 00000000 fe:00 12 /usr/bin/program\nAnonymous:\n",
        "7f00-7f01 r-xp 00000000 123456789:00 12 /usr/bin/program\n",
    ])
    func whatIsNotUnderstoodThrows(text: String) {
        var mappings = ProgramMappings()
        let error = #expect(throws: MemProbeError.self) { try mappings.read(text) }
        #expect(error?.code == .malformed)
    }

    @Test func moreFilesThanAreKeptApartAreSaidToBe() {
        var mappings = ProgramMappings()
        let error = #expect(throws: MemProbeError.self) {
            for inode in 1...5000 { try mappings.read("7f00-7f01 r--p 00000000 fe:00 \(inode) /data/\(inode)\n") }
        }
        #expect(error?.code == .exhausted)
    }

    /// Lines of each mapping that are not shown here are passed over like `Size`.
    private static let smaps = """
        55d0c0a00000-55d0c0a25000 r--p 00000000 fe:00 1234    /usr/bin/a program
        Size:                148 kB
        Rss:                   8 kB
        Pss:                   8 kB
        Anonymous:             0 kB
        AnonHugePages:         0 kB
        VmFlags: rd mr mw me
        55d0c0a25000-55d0c0b00000 r-xp 00025000 fe:00 1234    /usr/bin/a program
        Rss:                  16 kB
        Anonymous:             0 kB
        55d0c0b00000-55d0c0b10000 rw-p 00100000 fe:00 1234    /usr/bin/a program
        Rss:                  12 kB
        Anonymous:             8 kB
        55d0c0c00000-55d0c0d00000 rw-p 00000000 00:00 0       [heap]
        Rss:                 400 kB
        Anonymous:           400 kB
        7f0000000000-7f0000100000 r--p 00000000 fe:01 1234    /usr/lib/locale/locale-archive
        Rss:                 600 kB
        Anonymous:             0 kB
        7f0000200000-7f0000300000 r--p 00000000 fe:00 77      /usr/lib/libc.so.6
        Rss:                   4 kB
        Anonymous:             0 kB
        7f0000300000-7f0000400000 r-xp 00100000 fe:00 77      /usr/lib/libc.so.6
        Rss:                  20 kB
        Anonymous:             0 kB
        7f0000500000-7f0000600000 rwxp 00000000 00:01 99      /memfd:doublemapper (deleted)
        Rss:                 800 kB
        Anonymous:             0 kB
        7f0000600000-7f0000700000 rwxp 00000000 00:00 0
        Rss:                 200 kB
        Anonymous:           200 kB
        7f0000700000-7f0000800000 r-xp 00000000 103:2 55      /usr/lib/old.so (deleted)
        Rss:                   4 kB
        Anonymous:             0 kB
        7ffd00000000-7ffd00002000 r-xp 00000000 00:00 0       [vdso]
        Rss:                   4 kB
        Anonymous:             0 kB

        """
}
