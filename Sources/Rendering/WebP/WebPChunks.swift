// SPDX-License-Identifier: Apache-2.0

/// A parser of the chunks of an arriving WebP, to know the decoder's memory needs in advance.
struct WebPChunks {
    private static let containerLength = 12

    /// True if its picture is lossless, which is decoded through all its pixels.
    private(set) var isLossless = false
    /// True if its alpha is a separate plane, which is decoded whole.
    private(set) var hasAlphaPlane = false
    /// The beginning of its EXIF data.
    private(set) var exif: [UInt8] = []
    private var isEXIF = false

    private var reader = ChunkReader(behind: containerLength) { head in
        let length = head[4...].reversed().reduce(0) { $0 << 8 | Int($1) }
        // A chunk of an odd length is padded by a byte.
        return length + length % 2
    }

    mutating func note(_ bytes: UnsafeRawBufferPointer) {
        var rest = bytes
        while let part = reader.next(of: &rest) {
            guard case .head(let head) = part else {
                if isEXIF, case .content(let content) = part {
                    exif += content.prefix(Orientation.searchedByteCount - exif.count)
                }
                continue
            }
            isEXIF = exif.isEmpty && head[..<4].elementsEqual("EXIF".utf8)
            isLossless = isLossless || head[..<4].elementsEqual("VP8L".utf8)
            hasAlphaPlane = hasAlphaPlane || head[..<4].elementsEqual("ALPH".utf8)
        }
    }
}
