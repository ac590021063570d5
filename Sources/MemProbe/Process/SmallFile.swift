// SPDX-License-Identifier: Apache-2.0

/// A file of the kernel that is read once as a string: settings, not measurements.
enum SmallFile {
    /// Returns the content; throws if it is longer than 64 KiB.
    static func text(at path: String) throws(MemProbeError) -> String {
        let file = try Descriptor(opening: path)
        let buffer = TextBuffer()
        return String(decoding: buffer.prefix(try file.read(into: buffer)), as: UTF8.self)
    }
}
