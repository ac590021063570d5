// SPDX-License-Identifier: Apache-2.0

/// A file of the kernel that is read once and may be turned into a string: settings, not measurements.
enum SmallFile {
    /// Reads the file, up to 64 KiB.
    ///
    /// - Throws: ``MemProbeError/Code/unreadable``, or ``MemProbeError/Code/malformed`` where it is longer.
    static func text(at path: String) throws(MemProbeError) -> String {
        let file = try Descriptor(opening: path)
        let buffer = TextBuffer()
        return String(decoding: buffer.prefix(try file.read(into: buffer)), as: UTF8.self)
    }
}
