// SPDX-License-Identifier: Apache-2.0

/// A file that a process maps executable beside its own program: a shared library, or the loader.
public struct LoadedLibrary: Codable, Hashable, Sendable {
    /// Its path, as the kernel names it.
    public var path: String

    /// The length of the file, which is not what is resident of it; `nil` where the path leads nowhere any more.
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
