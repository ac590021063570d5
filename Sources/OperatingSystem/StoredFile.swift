// SPDX-License-Identifier: Apache-2.0

import Glibc
import MemProbe

/// The opening of files that are read to their end: a device never ends, and a pipe may wait for ever.
package enum StoredFile {
    /// A kind of file that may be read beside regular ones.
    package enum OtherKind: Sendable {
        /// A pipe, such as `<(command)` of a shell.
        case pipe
        /// `/dev/null`, for nothing.
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
    ) throws(FileFailure) -> Int32 {
        let descriptor = SystemText.withCString(path) { Glibc.open($0, O_RDONLY | O_CLOEXEC | O_NONBLOCK) }
        guard descriptor >= 0 else { throw FileFailure.cannotRead(name: name, errno: errno) }
        if let obstacle = obstacle(of: descriptor, allowing: others) {
            close(descriptor)
            throw FileFailure.cannotRead(name: name, errno: obstacle)
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
