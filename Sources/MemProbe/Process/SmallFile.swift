// SPDX-License-Identifier: Apache-2.0

/// A file of the kernel that is read once as a string: settings, not measurements.
enum SmallFile {
    /// Returns the content, up to 64 KiB.
    ///
    /// - Throws: ``MemProbeError/Code/unreadable``, or ``MemProbeError/Code/malformed`` if the file is longer.
    static func text(at path: String) throws(MemProbeError) -> String {
        let file = try Descriptor(opening: path)
        let buffer = TextBuffer()
        return String(decoding: buffer.prefix(try file.read(into: buffer)), as: UTF8.self)
    }
}
