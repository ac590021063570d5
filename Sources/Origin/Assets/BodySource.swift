// SPDX-License-Identifier: Apache-2.0

import Glibc
import Hashing
import MemProbe
package import NIOCore
import Texts

/// Bytes readable at any offset, so that the whole need not be in memory.
package protocol BodySource: Sendable {
    var byteCount: Int { get }

    /// Fills the whole buffer with the bytes from `offset` on, which must all exist.
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws
}

package struct MemoryBytes: BodySource {
    package let bytes: [UInt8]

    package init(_ bytes: [UInt8]) { self.bytes = bytes }

    package var byteCount: Int { bytes.count }

    package func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws {
        buffer.copyBytes(from: bytes[offset..<offset + buffer.count])
    }
}

/// The bytes of an open file, read on demand.
///
/// The descriptor stays open for the object's life, so a file that is replaced meanwhile is still served whole.
package final class FileBytes: BodySource {
    package let byteCount: Int

    private let descriptor: CInt
    private let path: String

    package init?(path: String) throws {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw FetchBenchError(kernel: "cannot open \(path)", errno: errno)
        }
        // Not `fstat`: with MemberImportVisibility, `stat` belongs to whichever module imports the C header first.
        let end = lseek(descriptor, 0, SEEK_END)
        guard end >= 0 else {
            let code = errno
            close(descriptor)
            throw FetchBenchError(kernel: "cannot read the size of \(path)", errno: code)
        }
        (self.descriptor, self.path) = (descriptor, path)
        self.byteCount = Int(end)
    }

    deinit { close(descriptor) }

    /// Reads the bytes from `offset` on; throws if the file has become shorter.
    package func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws {
        let count = SystemCall.fill(buffer, from: descriptor, at: offset)
        guard count >= 0 else { throw FetchBenchError(kernel: "cannot read \(path)", errno: errno) }
        guard count == buffer.count else {
            throw FetchBenchError("\(path) has become shorter than \(byteCount) bytes")
        }
    }
}

/// The size and SHA-256 of a body that arrives in pieces, which are not kept.
package struct BodyDigest: Sendable {
    package private(set) var byteCount = 0
    private var hash = SHA256()

    package init() {}

    package mutating func add(_ bytes: ByteBuffer) {
        byteCount += bytes.readableBytes
        bytes.withUnsafeReadableBytes { hash.update($0) }
    }

    package var json: [UInt8] {
        Array("{\"bytes\":\(byteCount),\"sha256\":\"\(hash.hexadecimal())\"}\n".utf8)
    }
}

extension BodySource {
    /// Returns the SHA-256 of the body in lower-case hexadecimal, read 64 KiB at a time.
    package func sha256() throws -> String {
        var hash = SHA256()
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 * 1024, alignment: 16)
        defer { buffer.deallocate() }
        var offset = 0
        while offset < byteCount {
            let part = UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(min(buffer.count, byteCount - offset)))
            try read(into: part, at: offset)
            hash.update(UnsafeRawBufferPointer(part))
            offset += part.count
        }
        return hash.hexadecimal()
    }
}
