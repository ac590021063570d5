// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A file written under a temporary name and renamed once it is complete; removed if it never is.
package final class FileDraft {
    private let path: String
    private let name: String
    private let file: AppendingFile
    private var isFinished = false

    private var temporary: String { path + ".tmp" }

    /// Opens the temporary file; an existing file at `path` stays until ``finish()``.
    package init(of path: String, name: String) throws(FileFailure) {
        self.path = path
        self.name = name
        unlink(path + ".tmp")
        file = try AppendingFile(path: path + ".tmp", name: name)
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

    package func finish() throws(FileFailure) {
        guard rename(temporary, path) == 0 else { throw FileFailure.cannotWrite(name: name, errno: errno) }
        isFinished = true
    }
}
