// SPDX-License-Identifier: Apache-2.0

/// Adds up, over the text of `smaps`, what is resident of every file that the process maps executable.
///
/// These are the *program pages*: of the program, its libraries and the loader, whichever of a file's mappings they
/// are in. The kernel maps them around each fault as far as the page cache holds them, so how many are resident
/// depends on how the file got there, and not on the program. Pages of such a file that were written to are copies of
/// the process's own (`Anonymous`): they do not count here. Neither does memory that has a name in the place of a file's,
/// such as the `memfd` into which a just-in-time compiler writes: that is the program's doing.
package struct ProgramMappings: ~Copyable {
    private let files = MappedFileTable()
    /// The place of the file whose mapping is being read, or `nil` where no file backs it.
    private var current: Int?
    /// Whether no mapping was read: a process that is gone has none.
    package private(set) var isEmpty = true

    /// Creates the sum of nothing; it makes room for all that it will read.
    package init() {}

    /// The program pages of what was read.
    package var byteCount: ByteCount {
        files.executableByteCount
    }

    /// Begins anew.
    mutating func removeAll() {
        files.removeAll()
        current = nil
        isEmpty = true
    }

    /// Reads more of the file, in whole lines.
    ///
    /// - Throws: ``MemProbeError/Code/malformed`` with what is not understood, ``MemProbeError/Code/exhausted`` where
    ///   more files are mapped than are kept apart.
    package mutating func read(_ text: Span<UInt8>) throws(MemProbeError) {
        var scanner = ByteScanner()
        while !scanner.isAtEnd(of: text) {
            if Self.beginsMapping(text[scanner.position]) {
                try readHeader(&scanner, text)
            } else if current != nil {
                try readSize(&scanner, text)
            }
            scanner.skipLine(in: text)
        }
    }

    /// Reads the file from a string.
    package mutating func read(_ text: String) throws(MemProbeError) {
        let bytes = Array(text.utf8)
        try read(bytes.span)
    }

    /// A mapping's first line begins with an address in lower case, all others with a capital letter.
    private static func beginsMapping(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
    }

    /// Reads `address-address rwxp offset major:minor inode   path`.
    private mutating func readHeader(_ scanner: inout ByteScanner, _ text: Span<UInt8>) throws(MemProbeError) {
        isEmpty = false
        scanner.skipWord(in: text)
        scanner.skipBlanks(in: text)
        let permissions = scanner.position
        scanner.skipWord(in: text)
        guard scanner.position == permissions + 4 else { throw MemProbeError(.malformed, source: "smaps") }
        let isExecutable = text[permissions + 2] == UInt8(ascii: "x")
        scanner.skipBlanks(in: text)
        scanner.skipWord(in: text)
        scanner.skipBlanks(in: text)
        guard let major = scanner.hexadecimal(in: text), scanner.skip(":", in: text),
            let minor = scanner.hexadecimal(in: text)
        else { throw MemProbeError(.malformed, source: "smaps") }
        scanner.skipBlanks(in: text)
        guard let inode = scanner.number(in: text) else { throw MemProbeError(.malformed, source: "smaps") }
        scanner.skipBlanks(in: text)
        guard inode != 0, !Self.isMemory(scanner, text) else {
            current = nil
            return
        }
        let file = MappedFile(device: UInt64(major) << 32 | UInt64(minor), inode: inode)
        current = try files.index(of: file, isExecutable: isExecutable)
    }

    /// Whether a mapping's name is that of memory, and not of a file.
    private static func isMemory(_ scanner: ByteScanner, _ text: Span<UInt8>) -> Bool {
        var scanner = scanner
        return scanner.skip("/memfd:", in: text) || scanner.skip("/dev/zero", in: text)
            || scanner.skip("/SYSV", in: text)
    }

    /// Adds `Rss` less `Anonymous`, which follows it.
    private mutating func readSize(_ scanner: inout ByteScanner, _ text: Span<UInt8>) throws(MemProbeError) {
        guard let current else { return }
        if let size = try scanner.kilobytes("Rss", in: text) {
            files.add(size.rawValue, to: current)
        } else if let size = try scanner.kilobytes("Anonymous", in: text) {
            files.add(-size.rawValue, to: current)
        }
    }
}
