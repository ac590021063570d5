// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The opening of files that are read to their end: a device never ends, and a pipe may wait for ever.
enum StoredFile {
    /// The longest file or line that is held in memory: 256 MiB, a thousand times what the largest runs need.
    static let longest = 256 << 20

    /// Opens a file without waiting for anything, and returns its descriptor.
    ///
    /// Everything but regular files is refused with `ENXIO`, folders with `EISDIR`.
    /// - Parameters:
    ///   - name: What the error calls the file.
    ///   - allowsPipe: True for a file that the user names, such as `<(command)` of a shell, or `/dev/null` for nothing.
    static func open(_ path: String, name: String, allowsPipe: Bool = false) throws(FileFailure) -> Int32 {
        if let obstacle = FileFailure.obstacle(ofPath: path) {
            throw FileFailure.cannotRead(name: name, errno: obstacle)
        }
        let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw FileFailure.cannotRead(name: name, errno: errno) }
        var (information, null) = (stat(), stat())
        let kind = fstat(descriptor, &information) == 0 ? information.st_mode & S_IFMT : 0
        let isNull = kind == S_IFCHR && stat("/dev/null", &null) == 0 && information.st_rdev == null.st_rdev
        guard kind == S_IFREG || (allowsPipe && (kind == S_IFIFO || isNull)) else {
            close(descriptor)
            throw FileFailure.cannotRead(name: name, errno: kind == S_IFDIR ? EISDIR : ENXIO)
        }
        // Reading a pipe waits for its writer.
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) & ~O_NONBLOCK)
        return descriptor
    }
}
