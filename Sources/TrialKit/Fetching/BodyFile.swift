// SPDX-License-Identifier: Apache-2.0

import Glibc
import MemProbe

/// The file that a mode fetches to.
public final class BodyFile: Sendable {
    private let descriptor: Int32

    /// Creates the file or empties an existing one, whose rest would be part of the body.
    public init(creating path: String) throws(FetchFailure) {
        descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Self.failure("cannot be created") }
    }

    /// Opens a file to continue at an offset; cuts off everything beyond it.
    public init(resuming path: String, at offset: Int) throws(FetchFailure) {
        descriptor = open(path, O_WRONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Self.failure("cannot be opened again") }
        guard lseek(descriptor, 0, SEEK_END) >= offset, ftruncate(descriptor, offset) == 0,
            lseek(descriptor, 0, SEEK_END) == offset
        else {
            close(descriptor)
            throw Self.failure("has fewer bytes than are to be gone on from")
        }
    }

    /// Returns the length of a file; `nil` if it does not exist.
    public static func byteCount(of path: String) -> Int? {
        // Not `stat`: with MemberImportVisibility its structure belongs to whichever module has read the C header first.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        let size = lseek(descriptor, 0, SEEK_END)
        return size >= 0 ? Int(size) : nil
    }

    deinit {
        close(descriptor)
    }

    /// Writes all bytes.
    public func write(_ bytes: UnsafeRawBufferPointer) throws(FetchFailure) {
        guard SystemCall.writeAll(bytes, to: descriptor) else { throw Self.failure("cannot be written") }
    }

    /// Moves a file and returns its length.
    public static func move(_ source: String, to destination: String) throws(FetchFailure) -> Int {
        guard rename(source, destination) == 0 else { throw failure("cannot be moved to its place") }
        guard let size = byteCount(of: destination) else { throw failure("cannot be found in its place") }
        return size
    }

    private static func failure(_ what: String) -> FetchFailure {
        FetchFailure(.file, "the file to fetch to \(what): \(String(cString: strerror(errno)))")
    }
}
