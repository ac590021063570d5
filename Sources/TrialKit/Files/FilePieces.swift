// SPDX-License-Identifier: Apache-2.0

import Glibc
import MemProbe

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
    ) -> Int {
        SystemCall.fill(buffer, from: descriptor, at: offset)
    }
}
