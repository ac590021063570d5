// SPDX-License-Identifier: Apache-2.0

/// One line of `/proc/PID/maps`: `address-address rwxp offset major:minor inode   name`.
struct MapsLine {
    var addresses: Range<UInt64>
    var isExecutable: Bool
    /// The mapped file, or `nil` for memory, some of which has a name in the place of a path.
    var file: MappedInode?
    /// The position of the name in the text; empty if there is none.
    var name: Range<Int>

    /// Parses the line at the scanner's position, up to its end.
    init(_ scanner: inout ByteScanner, _ text: Span<UInt8>) throws(MemProbeError) {
        guard let start = scanner.hexadecimal(in: text), scanner.skip("-", in: text),
            let end = scanner.hexadecimal(in: text), start <= end
        else { throw MemProbeError(.malformed, source: "maps") }
        addresses = start..<end
        scanner.skipBlanks(in: text)
        let permissions = scanner.position
        scanner.skipWord(in: text)
        guard scanner.position == permissions + 4 else { throw MemProbeError(.malformed, source: "maps") }
        isExecutable = text[permissions + 2] == UInt8(ascii: "x")
        scanner.skipBlanks(in: text)
        scanner.skipWord(in: text)
        scanner.skipBlanks(in: text)
        let mapped = try Self.file(&scanner, text)
        scanner.skipBlanks(in: text)
        let isMemory = mapped.inode == 0 || Self.isMemory(scanner, text)
        file = isMemory ? nil : mapped
        let nameStart = min(scanner.position, text.count)
        while scanner.position < text.count, text[scanner.position] != UInt8(ascii: "\n") { scanner.position += 1 }
        name = nameStart..<max(nameStart, scanner.position)
    }

    /// Parses `major:minor inode`.
    private static func file(_ scanner: inout ByteScanner, _ text: Span<UInt8>) throws(MemProbeError) -> MappedInode {
        guard let major = scanner.hexadecimal(in: text), scanner.skip(":", in: text),
            let minor = scanner.hexadecimal(in: text), major >> 32 == 0, minor >> 32 == 0
        else { throw MemProbeError(.malformed, source: "maps") }
        scanner.skipBlanks(in: text)
        guard let inode = scanner.number(in: text) else { throw MemProbeError(.malformed, source: "maps") }
        return MappedInode(device: major << 32 | minor, inode: inode)
    }

    /// True if the name is that of memory instead of a file.
    private static func isMemory(_ scanner: ByteScanner, _ text: Span<UInt8>) -> Bool {
        var scanner = scanner
        return scanner.skip("/memfd:", in: text) || scanner.skip("/dev/zero", in: text)
            || scanner.skip("/SYSV", in: text)
    }
}
