// SPDX-License-Identifier: Apache-2.0

import TrialKit

/// The first bytes of a PNG: its signature and the chunk `IHDR`.
struct PNGHeader: Hashable {
    /// The length without the check sum.
    static let byteCount = 29
    static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

    let size: PixelSize
    /// True if rows come in seven passes, so that none is complete before the last one.
    let isInterlaced: Bool

    init(parsing bytes: UnsafeRawBufferPointer) throws(RenderFailure) {
        guard bytes.count >= Self.byteCount else {
            throw RenderFailure(.truncatedImage, "the PNG ends within its header")
        }
        guard bytes.starts(with: Self.signature), bytes[12..<16].elementsEqual("IHDR".utf8) else {
            throw RenderFailure(.notAnImage, "a PNG that does not begin with its header")
        }
        size = PixelSize(width: Self.number(bytes[16..<20]), height: Self.number(bytes[20..<24]))
        isInterlaced = bytes[28] != 0
        // The limits of libpng.
        let sides = 1...Int(Int32.max)
        guard sides.contains(size.width), sides.contains(size.height) else {
            throw RenderFailure(.notAnImage, "a PNG of \(size) pixels")
        }
    }

    private static func number(_ bytes: Slice<UnsafeRawBufferPointer>) -> Int {
        bytes.reduce(0) { $0 << 8 | Int($1) }
    }
}
