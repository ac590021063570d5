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

    deinit { close(descriptor) }

    /// Writes all bytes.
    public func write(_ bytes: UnsafeRawBufferPointer) throws(FetchFailure) {
        guard SystemCall.writeAll(bytes, to: descriptor) else { throw Self.failure("cannot be written") }
    }

    /// Moves a file by `rename(2)`, or copies and removes it between file systems, and returns its length.
    public static func move(_ source: String, to destination: String) throws(FetchFailure) -> Int {
        if rename(source, destination) != 0 {
            guard errno == EXDEV else { throw failure("cannot be moved to its place") }
            try copy(source, to: destination)
            unlink(source)
        }
        guard let size = byteCount(of: destination) else { throw failure("cannot be found in its place") }
        return size
    }

    /// Copies a file beside its destination first, so that a part of it is never found there.
    ///
    /// The kernel copies (`sendfile(2)`), as it does for `FileManager.moveItem`: no byte passes through this process.
    private static func copy(_ source: String, to destination: String) throws(FetchFailure) {
        let partial = destination + ".partial"
        let input = open(source, O_RDONLY | O_CLOEXEC)
        guard input >= 0 else { throw failure("cannot be copied to another file system") }
        defer { close(input) }
        let output = open(partial, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard output >= 0 else { throw failure("cannot be copied to another file system") }
        defer { close(output) }
        var count = 0
        repeat { count = SystemCall.retried { sendfile(output, input, nil, 1 << 30) } } while count > 0
        guard count == 0, rename(partial, destination) == 0 else {
            let failure = failure("cannot be copied to another file system")
            unlink(partial)
            throw failure
        }
    }

    private static func failure(_ what: String) -> FetchFailure {
        let number = errno
        let name = [ENOSPC: " (ENOSPC)", EROFS: " (EROFS)", EDQUOT: " (EDQUOT)"][number] ?? ""
        return FetchFailure(.file, "the file to fetch to \(what): \(String(cString: strerror(number)))\(name)")
    }
}

/// Reads files through one buffer: holds one piece at a time and maps no page.
package enum FilePieces {
    /// Passes the bytes of a file to `take`, piece by piece.
    /// - Parameters:
    ///   - failure: Makes an error from a description of the failed call, with the system's reason.
    ///   - take: Receives each piece for the duration of the call; an error ends the reading.
    package static func read<Failure: Error>(
        _ path: String, through buffer: UnsafeMutableRawBufferPointer, failure: (String) -> Failure,
        _ take: (UnsafeRawBufferPointer) throws(Failure) -> Void
    ) throws(Failure) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure("cannot be opened: \(String(cString: strerror(errno)))") }
        defer { close(descriptor) }
        while true {
            let count = SystemCall.readSome(buffer, from: descriptor)
            guard count >= 0 else { throw failure("cannot be read: \(String(cString: strerror(errno)))") }
            guard count > 0 else { return }
            try take(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        }
    }

    /// Fills a buffer from an offset; returns fewer bytes at the end of the file, and a negative number on failure.
    package static func fill(
        _ buffer: UnsafeMutableRawBufferPointer, from descriptor: CInt, at offset: Int
    ) -> Int { SystemCall.fill(buffer, from: descriptor, at: offset) }
}
