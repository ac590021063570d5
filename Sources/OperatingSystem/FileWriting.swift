// SPDX-License-Identifier: Apache-2.0

import Glibc
import MemProbe
import Texts

/// A file written under a temporary name and renamed once it is complete; removed if it never is.
package final class FileDraft {
    private let path: String
    private let name: String
    private let temporary: String
    private let file: AppendingFile
    private var isFinished = false

    /// Opens the temporary file; an existing file at `path` stays until ``finish()``.
    package init(of path: String, name: String) throws {
        (self.path, self.name) = (path, name)
        temporary = path + ".tmp"
        // The remains of a process that was killed; a link that somebody puts there now is not followed, but an error.
        unlink(temporary)
        file = try AppendingFile(path: temporary, name: name, isNew: true)
    }

    deinit {
        if !isFinished { unlink(temporary) }
    }

    package func append(_ text: String) throws { try file.append(text) }

    package func append(_ bytes: [UInt8]) throws { try file.append(bytes) }

    /// Renames the file, after its bytes are on the disk: a loss of power leaves the old file or the new one.
    package func finish() throws {
        try file.synchronize()
        guard rename(temporary, path) == 0 else { throw FetchBenchError.cannotWrite(name: name, errno: errno) }
        isFinished = true
    }
}

/// The opening of files that are read to their end: a device never ends, and a pipe may wait for ever.
package enum StoredFile {
    /// A kind of file that may be read beside regular ones.
    package enum OtherKind: Sendable {
        /// A pipe, such as `<(command)` of a shell.
        case pipe
        case null
    }

    /// The longest file or line that is held in memory: 256 MiB, a thousand times what the largest runs need.
    static let longest = 256 << 20

    /// Opens a file without waiting for anything, and returns its descriptor.
    /// - Parameters:
    ///   - path: The path, with the bytes that ``SystemText`` makes of it.
    ///   - name: What the error calls the file.
    ///   - others: What it may be other than a regular file.
    /// - Throws: The kernel's error; for a file of another kind `EISDIR` (a folder), `ESPIPE` (a pipe) or `ENXIO`.
    package static func open(
        _ path: String, name: String, allowing others: Set<OtherKind> = []
    ) throws -> Int32 {
        let descriptor = SystemText.withCString(path) { Glibc.open($0, O_RDONLY | O_CLOEXEC | O_NONBLOCK) }
        guard descriptor >= 0 else { throw FetchBenchError.cannotRead(name: name, errno: errno) }
        if let obstacle = obstacle(of: descriptor, allowing: others) {
            close(descriptor)
            throw FetchBenchError.cannotRead(name: name, errno: obstacle)
        }
        // Reading a pipe waits for its writer.
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) & ~O_NONBLOCK)
        return descriptor
    }

    private static func obstacle(of descriptor: Int32, allowing others: Set<OtherKind>) -> Int32? {
        var (file, null) = (stat(), stat())
        guard fstat(descriptor, &file) == 0 else { return errno }
        switch file.st_mode & S_IFMT {
        case S_IFREG: return nil
        case S_IFDIR: return EISDIR
        case S_IFIFO: return others.contains(.pipe) ? nil : ESPIPE
        case S_IFCHR where others.contains(.null) && stat("/dev/null", &null) == 0 && file.st_rdev == null.st_rdev:
            return nil
        default: return ENXIO
        }
    }
}

/// An append-only file without a buffer: an interruption loses nothing that was written.
package final class AppendingFile: Sendable {
    private let descriptor: Int32
    private let name: String

    /// Opens a file, or makes it.
    /// - Parameter isNew: True if there must be none of that name, not even a link.
    package init(path: String, name: String, isNew: Bool = false) throws {
        if let obstacle = FetchBenchError.obstacle(ofPath: path) {
            throw FetchBenchError.cannotWrite(name: name, errno: obstacle)
        }
        self.name = name
        descriptor = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | (isNew ? O_EXCL : 0), 0o644)
        guard descriptor >= 0 else { throw FetchBenchError.cannotWrite(name: name, errno: errno) }
    }

    deinit { close(descriptor) }

    /// Waits until what was appended is on the disk.
    package func synchronize() throws {
        // Some file systems, and all pipes, cannot, which loses nothing here.
        guard fsync(descriptor) == 0 || errno == EINVAL || errno == ENOTSUP else {
            throw FetchBenchError.cannotWrite(name: name, errno: errno)
        }
    }

    package func append(_ text: String) throws { try append(Array(text.utf8)) }

    package func append(_ bytes: [UInt8]) throws {
        guard SystemCall.writeAll(bytes, to: descriptor) else {
            throw FetchBenchError.cannotWrite(name: name, errno: errno)
        }
    }
}
