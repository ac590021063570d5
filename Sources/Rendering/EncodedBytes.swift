// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials
import Glibc
package import TrialKit

/// The encoded image, decoded without a copy from where the fetch left it.
package enum EncodedBytes: Sendable {
    case memory(any ContiguousBytes & Sendable)
    case mapped(MappedFile)

    /// Takes over a body, mapping it if it is a file.
    package init(_ body: consuming FetchedBody) throws(RenderFailure) {
        switch body.content {
        case .nothing: throw RenderFailure(.notAnImage, "nothing was fetched")
        case .consumed: throw RenderFailure(.notAnImage, "the body was consumed while it arrived")
        case .memory(let bytes): self = .memory(bytes)
        case .file(let path): self = .mapped(try MappedFile(path: path))
        }
    }

    package func withBytes<R>(
        _ body: (UnsafeRawBufferPointer) throws(RenderFailure) -> R
    ) throws(RenderFailure) -> R {
        switch self {
        case .mapped(let file): return try file.withUnsafeBytes(body)
        case .memory(let bytes): return try bytes.lend(to: body)
        }
    }
}

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

extension ContiguousBytes {
    /// Lends the bytes to a function with a typed error, which `withUnsafeBytes` does not rethrow as such.
    func lend<R, E: Error>(to body: (UnsafeRawBufferPointer) throws(E) -> R) throws(E) -> R {
        let result = withUnsafeBytes { bytes in Result { () throws(E) in try body(bytes) } }
        return try result.get()
    }
}
