// SPDX-License-Identifier: Apache-2.0

import Glibc
import MemProbe

/// An append-only file without a buffer: an interruption loses nothing that was written.
package final class AppendingFile: Sendable {
    private let descriptor: Int32
    private let name: String

    /// Opens a file, or makes it.
    /// - Parameter isNew: True if there must be none of that name, not even a link.
    package init(path: String, name: String, isNew: Bool = false) throws(FileFailure) {
        if let obstacle = FileFailure.obstacle(ofPath: path) {
            throw FileFailure.cannotWrite(name: name, errno: obstacle)
        }
        self.name = name
        descriptor = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | (isNew ? O_EXCL : 0), 0o644)
        guard descriptor >= 0 else { throw FileFailure.cannotWrite(name: name, errno: errno) }
    }

    deinit {
        close(descriptor)
    }

    /// Waits until what was appended is on the disk.
    package func synchronize() throws(FileFailure) {
        // Some file systems, and all pipes, cannot, which loses nothing here.
        guard fsync(descriptor) == 0 || errno == EINVAL || errno == ENOTSUP else {
            throw FileFailure.cannotWrite(name: name, errno: errno)
        }
    }

    package func append(_ text: String) throws(FileFailure) { try append(Array(text.utf8)) }

    /// Appends all of the bytes or throws.
    package func append(_ bytes: [UInt8]) throws(FileFailure) {
        guard SystemCall.writeAll(bytes, to: descriptor) else {
            throw FileFailure.cannotWrite(name: name, errno: errno)
        }
    }
}
