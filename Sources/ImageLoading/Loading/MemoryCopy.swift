// SPDX-License-Identifier: Apache-2.0

import Rendering
import TrialKit

/// A reader that copies a file into memory piece by piece, as a data task collects a body.
enum MemoryCopy {
    private static let pieceLength = 64 * 1024

    /// Returns the bytes of a file, in memory that is reserved in advance or grows.
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
