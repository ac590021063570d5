// SPDX-License-Identifier: Apache-2.0

extension Orientation {
    /// Returns the orientation of a complete picture; ``up`` if it notes none, or none that there is.
    package static func of(_ picture: UnsafeRawBufferPointer) -> Orientation {
        let exif: UnsafeRawBufferPointer? =
            switch ImageFormat(of: picture) {
            case .jpeg: jpegEXIF(picture)
            case .png: pngEXIF(picture)
            case .webP: webPEXIF(picture)
            case .unsupported, .unknown: nil
            }
        return exif.flatMap(Orientation.init(exif:)) ?? .up
    }

    /// The segments of a JPEG before its first scan.
    private static func jpegEXIF(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        var place = 2
        while place + 4 <= bytes.count, bytes[place] == 0xFF {
            let marker = bytes[place + 1]
            // Bytes to fill up, of which there may be any number.
            guard marker != 0xFF else {
                place += 1
                continue
            }
            guard marker != 0xDA else { return nil }
            let length = Int(bytes[place + 2]) << 8 + Int(bytes[place + 3])
            let content = bytes.dropFirst(place + 4).prefix(max(0, length - 2))
            if marker == 0xE1, content.starts(with: Array("Exif\0\0".utf8)) {
                return UnsafeRawBufferPointer(rebasing: content)
            }
            place += 2 + length
        }
        return nil
    }

    private static func pngEXIF(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        chunk("eXIf", in: bytes, from: PNGHeader.signature.count) { head in
            // The length comes first, and a check sum follows the content.
            (name: head[4...], length: head[..<4].reduce(0) { $0 << 8 | Int($1) }, tail: 4)
        }
    }

    private static func webPEXIF(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        chunk("EXIF", in: bytes, from: 12) { head in
            let length = head[4...].reversed().reduce(0) { $0 << 8 | Int($1) }
            return (name: head[..<4], length: length, tail: length % 2)
        }
    }

    private static func chunk(
        _ name: String, in bytes: UnsafeRawBufferPointer, from start: Int,
        _ read: ([UInt8]) -> (name: ArraySlice<UInt8>, length: Int, tail: Int)
    ) -> UnsafeRawBufferPointer? {
        var place = start
        while place + 8 <= bytes.count {
            let head = read(Array(bytes[place..<place + 8]))
            let content = bytes.dropFirst(place + 8).prefix(head.length)
            if head.name.elementsEqual(name.utf8) { return UnsafeRawBufferPointer(rebasing: content) }
            place += 8 + head.length + head.tail
        }
        return nil
    }
}
