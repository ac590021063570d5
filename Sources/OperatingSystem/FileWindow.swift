// SPDX-License-Identifier: Apache-2.0

import CZlib
import Glibc

/// The part of a file that is in memory while it is read in pieces; a file in the gzip format is decompressed.
package final class FileWindow {
    private let file: gzFile
    private let name: String
    private var memory: UnsafeMutablePointer<UInt8>
    private var capacity: Int
    private var filled = 0
    private var done = 0
    /// True if the end of the file has been read.
    package private(set) var isWhole = false

    /// Opens a regular file with a buffer of `capacity` bytes, which grows if a piece does not fit.
    package init(path: String, name: String, capacity: Int = 1 << 20) throws(FileFailure) {
        try FileFailure.checkUTF8(ofPath: path, name: name)
        let descriptor = try StoredFile.open(path, name: name)
        guard let file = gzdopen(descriptor, "r") else {
            close(descriptor)
            throw FileFailure.cannotRead(name: name, errno: ENOMEM)
        }
        self.file = file
        self.name = name
        self.capacity = capacity
        memory = .allocate(capacity: capacity)
    }

    deinit {
        memory.deallocate()
        gzclose_r(file)
    }

    /// The bytes read and not yet consumed; valid until ``more()`` is called.
    package var bytes: UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: memory + done, count: filled - done)
    }

    /// Consumes bytes.
    package func advance(by count: Int) {
        done += count
    }

    /// Reads on into a buffer that is at least half free, and returns false at the end of the file.
    /// - Throws: `EFBIG` for a piece of more than 256 MiB, `EBADMSG` for damaged gzip data.
    package func more() throws(FileFailure) -> Bool {
        guard filled - done < StoredFile.longest else { throw FileFailure.cannotRead(name: name, errno: EFBIG) }
        makeRoom()
        let count = Int(gzread(file, memory + filled, UInt32(capacity - filled)))
        var status: Int32 = 0
        gzerror(file, &status)
        // Compressed data that ends early is reported beside its last bytes.
        guard count > 0 || [Z_OK, Z_STREAM_END].contains(status) else {
            throw FileFailure.cannotRead(name: name, errno: status == Z_ERRNO ? errno : EBADMSG)
        }
        filled += count
        isWhole = count == 0
        return count > 0
    }

    private func makeRoom() {
        let kept = filled - done
        if kept > capacity / 2 {
            capacity *= 2
            let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
            larger.update(from: memory + done, count: kept)
            memory.deallocate()
            memory = larger
        } else if kept > 0 {
            memmove(memory, memory + done, kept)
        }
        done = 0
        filled = kept
    }
}
