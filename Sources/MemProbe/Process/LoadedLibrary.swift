// SPDX-License-Identifier: Apache-2.0

/// A file that a process maps executable in addition to its program: a shared library, or the loader.
public struct LoadedLibrary: Codable, Hashable, Sendable {
    /// The path, as the kernel names it.
    public var path: String
    /// The length of the file, not its resident part; `nil` if the path no longer exists.
    public var fileSize: ByteCount?

    /// Creates a library.
    public init(path: String, fileSize: ByteCount?) {
        self.path = path
        self.fileSize = fileSize
    }

    private enum CodingKeys: String, CodingKey {
        case path
        case fileSize = "file_bytes"
    }
}
