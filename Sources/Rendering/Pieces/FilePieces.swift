// SPDX-License-Identifier: Apache-2.0

import Glibc
import TrialKit

/// A file that is read through one buffer: of its bytes a piece is held at a time, and no page of it is mapped.
enum FilePieces {
    /// Hands out the bytes of a file, in their order.
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - length: How long the pieces are, the last one aside.
    ///   - take: What gets each piece, for the duration of the call; what it throws ends the reading.
    ///
    /// The corresponding C function is `read`.
    static func read(
        _ path: String, length: Int, _ take: (UnsafeRawBufferPointer) throws(RenderFailure) -> Void
    ) throws(RenderFailure) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure("cannot open the body's file", errno) }
        defer { close(descriptor) }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: length, alignment: 16)
        defer { buffer.deallocate() }
        while true {
            let count = Glibc.read(descriptor, buffer.baseAddress, length)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw failure("cannot read the body's file", errno) }
            guard count > 0 else { return }
            try take(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        }
    }

    private static func failure(_ what: String, _ number: CInt) -> RenderFailure {
        RenderFailure(.system, "\(what): \(systemMessage(number))")
    }
}
