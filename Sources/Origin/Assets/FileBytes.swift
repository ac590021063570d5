// SPDX-License-Identifier: Apache-2.0

import Glibc
import MemProbe

/// The bytes of an open file, read on demand.
///
/// The descriptor stays open for the object's life, so a file that is replaced meanwhile is still served whole.
package final class FileBytes: BodySource {
    package let byteCount: Int

    private let descriptor: CInt
    private let path: String

    package init?(path: String) throws(AssetError) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw AssetError(.file, "cannot open \(path)", errno: errno)
        }
        // Not `fstat`: with MemberImportVisibility, `stat` belongs to whichever module imports the C header first.
        let end = lseek(descriptor, 0, SEEK_END)
        guard end >= 0 else {
            let code = errno
            close(descriptor)
            throw AssetError(.file, "cannot read the size of \(path)", errno: code)
        }
        self.descriptor = descriptor
        self.path = path
        self.byteCount = Int(end)
    }

    deinit {
        close(descriptor)
    }

    /// Reads the bytes from `offset` on; throws if the file has become shorter.
    package func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(AssetError) {
        let count = SystemCall.fill(buffer, from: descriptor, at: offset)
        guard count >= 0 else { throw AssetError(.file, "cannot read \(path)", errno: errno) }
        guard count == buffer.count else {
            throw AssetError(.file, "\(path) has become shorter than \(byteCount) bytes")
        }
    }
}
