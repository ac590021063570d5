// SPDX-License-Identifier: Apache-2.0

/// Finds, in the text of `maps`, the files that a process maps executable: the program, its libraries, the loader.
package struct ExecutableFiles: Hashable, Sendable, ParsedText {
    /// Their paths, each file once, as the kernel names them and in the order of their addresses.
    ///
    /// One that was removed since ends with ` (deleted)`.
    package let paths: [String]

    /// Parses the file.
    ///
    /// - Throws: ``MemProbeError/Code/malformed`` where a line is not understood.
    package init(parsing text: Span<UInt8>) throws(MemProbeError) {
        var scanner = ByteScanner()
        var seen: Set<MappedFile> = []
        var paths: [String] = []
        while !scanner.isAtEnd(of: text) {
            let line = try MapsLine(&scanner, text)
            if line.isExecutable, let file = line.file, seen.insert(file).inserted {
                paths.append(String(decoding: line.name.map { text[$0] }, as: UTF8.self))
            }
            scanner.skipLine(in: text)
        }
        self.paths = paths
    }
}
