// SPDX-License-Identifier: Apache-2.0

/// Follows the chunks of a WebP on its way, to know what its decoder will need before it gets there.
struct WebPChunks {
    private static let containerLength = 12

    /// Whether its picture is compressed without loss, which is decoded by way of all its pixels.
    private(set) var isLossless = false
    /// Whether its alpha lies in a plane of its own, which is decoded whole.
    private(set) var hasAlphaPlane = false

    private var reader = ChunkReader(behind: containerLength) { head in
        let length = head[4...].reversed().reduce(0) { $0 << 8 | Int($1) }
        // A chunk of an odd length is followed by a byte of nothing.
        return length + length % 2
    }

    /// Takes note of the next bytes.
    mutating func note(_ bytes: UnsafeRawBufferPointer) {
        var rest = bytes
        while let part = reader.next(of: &rest) {
            guard case .head(let head) = part else { continue }
            isLossless = isLossless || head[..<4].elementsEqual("VP8L".utf8)
            hasAlphaPlane = hasAlphaPlane || head[..<4].elementsEqual("ALPH".utf8)
        }
    }
}
