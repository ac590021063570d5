// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A file that is being written under a temporary name, and gets its own once it is whole; one that never is leaves nothing.
package final class FileDraft {
    private let path: String
    private let name: String
    private let file: AppendingFile
    private var isFinished = false

    private var temporary: String { path + ".tmp" }

    /// Begins.
    /// - Parameters:
    ///   - path: where the file is once it is whole; what is there stays until then.
    ///   - name: what to call the file in errors.
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

    /// The same of bytes.
    package func append(_ bytes: [UInt8]) throws(FileFailure) {
        try file.append(bytes)
    }

    /// Gives the file its name.
    package func finish() throws(FileFailure) {
        guard rename(temporary, path) == 0 else { throw FileFailure.cannotWrite(name: name, errno: errno) }
        isFinished = true
    }
}
