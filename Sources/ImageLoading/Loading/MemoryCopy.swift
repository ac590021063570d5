// SPDX-License-Identifier: Apache-2.0

import Rendering
import TrialKit

/// Reads a file into memory as a data task collects a body: piece by piece.
enum MemoryCopy {
    private static let pieceLength = 64 * 1024

    /// The bytes of a file.
    /// - Parameter isReserved: Whether the memory has its size from the beginning, or grows.
    static func bytes(
        ofFile path: String, byteCount: Int, reserving isReserved: Bool
    ) throws(RenderFailure) -> [UInt8] {
        var bytes: [UInt8] = []
        if isReserved { bytes.reserveCapacity(byteCount) }
        try FilePieces.read(path, length: pieceLength) { piece throws(RenderFailure) in
            bytes.append(contentsOf: piece)
        }
        return bytes
    }
}
