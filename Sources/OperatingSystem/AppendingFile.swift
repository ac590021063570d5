// SPDX-License-Identifier: Apache-2.0

import Glibc
import MemProbe

/// An append-only file without a buffer: an interruption loses nothing that was written.
package final class AppendingFile: Sendable {
    private let descriptor: Int32
    private let name: String

    package init(path: String, name: String) throws(FileFailure) {
        self.name = name
        descriptor = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw FileFailure.cannotWrite(name: name, errno: errno) }
    }

    deinit {
        close(descriptor)
    }

    package func append(_ text: String) throws(FileFailure) { try append(Array(text.utf8)) }

    /// Appends all of the bytes or throws.
    package func append(_ bytes: [UInt8]) throws(FileFailure) {
        guard SystemCall.writeAll(bytes, to: descriptor) else {
            throw FileFailure.cannotWrite(name: name, errno: errno)
        }
    }
}
