// SPDX-License-Identifier: Apache-2.0

import Glibc
import TrialKit

/// Reads a file into memory as a data task collects a body: piece by piece.
enum MemoryCopy {
    private static let pieceLength = 64 * 1024

    /// The bytes of a file.
    /// - Parameter isReserved: Whether the memory has its size from the beginning, or grows.
    static func bytes(
        ofFile path: String, byteCount: Int, reserving isReserved: Bool
    ) throws(RenderFailure) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure() }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        if isReserved { bytes.reserveCapacity(byteCount) }
        let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: pieceLength, alignment: 16)
        defer { piece.deallocate() }
        while true {
            let count = read(descriptor, piece.baseAddress, piece.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw failure() }
            guard count > 0 else { return bytes }
            bytes.append(contentsOf: piece[..<count])
        }
    }

    private static func failure() -> RenderFailure {
        RenderFailure(.system, "cannot read the body's file: \(String(cString: strerror(errno)))")
    }
}
