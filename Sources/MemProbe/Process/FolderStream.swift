// SPDX-License-Identifier: Apache-2.0

#if canImport(Musl)
    package import Musl
#else
    package import Glibc
#endif

/// The entries of a folder, read one by one.
package struct FolderStream: ~Copyable {
    private let stream: OpaquePointer

    /// Opens a folder; `nil` if it cannot be read.
    package init?(_ path: String) {
        guard let stream = opendir(path) else { return nil }
        self.stream = stream
    }

    deinit {
        closedir(stream)
    }

    package var descriptor: CInt { dirfd(stream) }

    /// Returns the name of the next entry, `nil` after the last one.
    package mutating func next() -> String? { readdir(stream).map { Self.name(of: $0) } }

    /// Returns the name of an entry without copying the whole field.
    ///
    /// The field is declared with 256 bytes, but a record ends with its name: a copy of the field reads past the
    /// record, and the last one of a full buffer may be followed by unmapped memory.
    package static func name(of entry: UnsafeMutablePointer<dirent>) -> String {
        guard let name = entry.pointer(to: \.d_name) else {
            preconditionFailure("d_name is stored in the record")
        }
        return String(cString: UnsafeRawPointer(name).assumingMemoryBound(to: CChar.self))
    }
}
