// SPDX-License-Identifier: Apache-2.0

/// The files in `maps` that a process maps executable: the program, its libraries, the loader.
package struct ExecutableFiles: Hashable, Sendable, ParsedText {
    /// Their paths, each once, in the order of addresses; that of a removed file ends with ` (deleted)`.
    package let paths: [String]

    package init(parsing text: Span<UInt8>) throws(MemProbeError) {
        var scanner = ByteScanner()
        var seen: Set<MappedInode> = []
        var paths: [String] = []
        while !scanner.isAtEnd(of: text) {
            let line = try MapsLine(&scanner, text)
            if line.isExecutable, let file = line.file, seen.insert(file).inserted {
                paths.append(SystemText.string(of: line.name.map { text[$0] }))
            }
            scanner.skipLine(in: text)
        }
        self.paths = paths
    }
}
