// SPDX-License-Identifier: Apache-2.0

import Glibc
import MemProbe

/// A file that is read through one buffer: of its bytes a piece is held at a time, and no page of it is mapped.
package enum FilePieces {
    /// Hands out the bytes of a file, in their order.
    /// - Parameters:
    ///   - failure: Makes an error of what could not be done, with the system's reason.
    ///   - take: What gets each piece, for the duration of the call; what it throws ends the reading.
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

    /// Fills a buffer from a place of an open file on; fewer bytes where the file ends first, below 0 where it fails.
    package static func fill(
        _ buffer: UnsafeMutableRawBufferPointer, from descriptor: CInt, at offset: Int
    ) -> Int {
        SystemCall.fill(buffer, from: descriptor, at: offset)
    }
}
