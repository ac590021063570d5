// SPDX-License-Identifier: Apache-2.0

import Glibc
import MemProbe
import Texts

/// A file that is written whole lines at a time, so that an interruption loses none that was written.
package final class AppendingFile: Sendable {
    private let descriptor: Int32
    private let name: String

    /// Opens or creates the file at a path.
    package init(path: String, name: String) throws(FileFailure) {
        self.name = name
        descriptor = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw FileFailure.cannotWrite(name: name, errno: errno) }
    }

    deinit {
        close(descriptor)
    }

    /// Appends text, all of it or with an error.
    package func append(_ text: String) throws(FileFailure) { try append(Array(text.utf8)) }

    /// Appends bytes, all of them or with an error.
    package func append(_ bytes: [UInt8]) throws(FileFailure) {
        guard SystemCall.writeAll(bytes, to: descriptor) else {
            throw FileFailure.cannotWrite(name: name, errno: errno)
        }
    }
}

/// Appends to a file that somebody else owns, such as the summary of a job.
package enum TextAppender {
    /// Appends text, all of it or with an error.
    package static func append(_ text: String, to path: String) throws(FileFailure) {
        try AppendingFile(path: path, name: PathText.name(of: path)).append(text)
    }
}
