// SPDX-License-Identifier: Apache-2.0

import Glibc
package import TrialKit

/// The bytes of a file as pages of the page cache: resident while they are read, never anonymous.
///
/// If another process shortens the file meanwhile, SIGBUS ends this process; the harness's files are not shortened.
package final class MappedFile: Sendable {
    private nonisolated(unsafe) let bytes: UnsafeRawBufferPointer

    /// Maps a file read-only (`PROT_READ`, `MAP_PRIVATE`).
    package init(path: String) throws(RenderFailure) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw RenderFailure(.system, "cannot open the body's file: \(systemMessage(errno))")
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw RenderFailure(.system, "the body's file is not a regular file")
        }
        guard status.st_size > 0 else {
            // The kernel cannot map an empty file; to the decoder it is an empty body.
            bytes = UnsafeRawBufferPointer(start: nil, count: 0)
            return
        }
        let start = mmap(nil, Int(status.st_size), PROT_READ, MAP_PRIVATE, descriptor, 0)
        guard let start, start != MAP_FAILED else {
            throw RenderFailure(.system, "cannot map the body's file: \(systemMessage(errno))")
        }
        bytes = UnsafeRawBufferPointer(start: start, count: Int(status.st_size))
    }

    deinit {
        guard let start = bytes.baseAddress else { return }
        munmap(UnsafeMutableRawPointer(mutating: start), bytes.count)
    }

    package func withUnsafeBytes<R, E: Error>(_ body: (UnsafeRawBufferPointer) throws(E) -> R) throws(E) -> R {
        defer { withExtendedLifetime(self) {} }
        return try body(bytes)
    }
}
