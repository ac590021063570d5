// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The file a mode fetches to.
package final class BodyFile: Sendable {
    private let descriptor: Int32

    /// Creates the file, or empties an older one: what remained of it would be part of the body.
    package init(creating path: String) throws(FetchFailure) {
        descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Self.failure("cannot be created") }
    }

    deinit {
        close(descriptor)
    }

    /// Writes all of the bytes.
    package func write(_ bytes: UnsafeRawBufferPointer) throws(FetchFailure) {
        var written = 0
        while written < bytes.count {
            let count = Glibc.write(descriptor, bytes.baseAddress?.advanced(by: written), bytes.count - written)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw Self.failure("cannot be written") }
            written += count
        }
    }

    /// Moves a finished file to its place and tells its size.
    package static func move(_ source: String, to destination: String) throws(FetchFailure) -> Int {
        guard rename(source, destination) == 0 else { throw failure("cannot be moved to its place") }
        // Not `stat`: with MemberImportVisibility its structure belongs to whichever module has read the C header first.
        let descriptor = open(destination, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure("cannot be found in its place") }
        defer { close(descriptor) }
        let size = lseek(descriptor, 0, SEEK_END)
        guard size >= 0 else { throw failure("has no size") }
        return Int(size)
    }

    private static func failure(_ what: String) -> FetchFailure {
        FetchFailure(.file, "the file to fetch to \(what): \(String(cString: strerror(errno)))")
    }
}
