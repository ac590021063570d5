// SPDX-License-Identifier: Apache-2.0

/// The properties in the header of an encoded image.
package struct ImageHeader: Hashable, Sendable {
    package var width: Int
    package var height: Int
    package var frame: ImageFrame

    package init(width: Int, height: Int, frame: ImageFrame) {
        self.width = width
        self.height = height
        self.frame = frame
    }

    /// Parses the header of a JPEG, a PNG or a lossy WebP; throws ``AssetError/Code/image``.
    package init(parsing bytes: [UInt8]) throws(AssetError) {
        if bytes.starts(with: Self.pngSignature) {
            try self.init(png: bytes)
        } else if bytes.starts(with: Array("RIFF".utf8)) {
            try self.init(webp: bytes)
        } else {
            let jpeg = try JPEGFrame(parsing: bytes)
            self.init(width: jpeg.width, height: jpeg.height, frame: jpeg.isProgressive ? .progressive : .baseline)
        }
    }

    private static let pngSignature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

    /// Parses `IHDR`, which has to be the first chunk (PNG, section 11.2.2).
    private init(png bytes: [UInt8]) throws(AssetError) {
        guard bytes.count >= 24, bytes[12..<16].elementsEqual("IHDR".utf8) else {
            throw AssetError(.image, "the PNG has no header")
        }
        func number(_ offset: Int) -> Int { bytes[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) } }
        self.init(width: number(16), height: number(20), frame: .png)
    }

    /// Parses the key frame's header (RFC 6386, section 9.1), in the only chunk of the simple file format.
    private init(webp bytes: [UInt8]) throws(AssetError) {
        guard bytes.count >= 30, bytes[8..<16].elementsEqual("WEBPVP8 ".utf8), bytes[23..<26] == [0x9D, 0x01, 0x2A]
        else { throw AssetError(.image, "the WebP has no frame header in front") }
        func number(_ offset: Int) -> Int { Int(bytes[offset]) | Int(bytes[offset + 1] & 0x3F) << 8 }
        self.init(width: number(26), height: number(28), frame: .webp)
    }
}

extension ImageHeader: CustomStringConvertible {
    package var description: String { "\(width)x\(height) px, \(frame.rawValue)" }
}
