// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A file written under a temporary name and renamed once it is complete; removed if it never is.
package final class FileDraft {
    private let path: String
    private let name: String
    private let temporary: String
    private let file: AppendingFile
    private var isFinished = false

    /// Opens the temporary file; an existing file at `path` stays until ``finish()``.
    package init(of path: String, name: String) throws(FileFailure) {
        self.path = path
        self.name = name
        temporary = path + ".tmp"
        // The remains of a process that was killed; a link that somebody puts there now is not followed, but an error.
        unlink(temporary)
        file = try AppendingFile(path: temporary, name: name, isNew: true)
    }

    deinit {
        if !isFinished { unlink(temporary) }
    }

    package func append(_ text: String) throws(FileFailure) {
        try file.append(text)
    }

    package func append(_ bytes: [UInt8]) throws(FileFailure) {
        try file.append(bytes)
    }

    /// Renames the file, after its bytes are on the disk: a loss of power leaves the old file or the new one.
    package func finish() throws(FileFailure) {
        try file.synchronize()
        guard rename(temporary, path) == 0 else { throw FileFailure.cannotWrite(name: name, errno: errno) }
        isFinished = true
    }
}
