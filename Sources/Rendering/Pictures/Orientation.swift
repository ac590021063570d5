// SPDX-License-Identifier: Apache-2.0

/// How a picture has to be turned to be shown, as a camera notes it in the picture's EXIF data.
///
/// Phones store the pixels as their sensor lies: a photo in portrait is a picture in landscape that is to be turned.
/// Decoders leave its pixels as they are, and the view turns them as it draws, which takes no memory.
package enum Orientation: Int, Sendable {
    case up = 1
    case upMirrored
    case down
    case downMirrored
    case leftMirrored
    case right
    case rightMirrored
    case left

    /// True if width and height change places.
    package var isTurned: Bool { rawValue >= Self.leftMirrored.rawValue }

    /// The bytes of EXIF data in which the orientation stands, if it does: it is in the first directory.
    static let searchedByteCount = 4096
    private static let tag = 0x0112
    private static let shortType = 3

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

    /// Reads EXIF data: a TIFF of directories, perhaps behind the word `Exif`; `nil` if it notes no orientation.
    init?(exif: UnsafeRawBufferPointer) {
        var tiff = exif
        if tiff.starts(with: Array("Exif\0\0".utf8)) { tiff = UnsafeRawBufferPointer(rebasing: tiff.dropFirst(6)) }
        guard let isLittle = Self.isLittleEndian(tiff) else { return nil }
        func number(_ place: Int, _ count: Int) -> Int? {
            guard place >= 0, place + count <= tiff.count else { return nil }
            let bytes = tiff[place..<place + count]
            return isLittle ? bytes.reversed().reduce(0) { $0 << 8 | Int($1) } : bytes.reduce(0) { $0 << 8 | Int($1) }
        }
        guard let directory = number(4, 4), let count = number(directory, 2) else { return nil }
        for index in 0..<count {
            let entry = directory + 2 + 12 * index
            guard let tag = number(entry, 2) else { return nil }
            guard tag == Self.tag else { continue }
            guard number(entry + 2, 2) == Self.shortType, let value = number(entry + 8, 2) else { return nil }
            self.init(rawValue: value)
            return
        }
        return nil
    }

    private static func isLittleEndian(_ tiff: UnsafeRawBufferPointer) -> Bool? {
        if tiff.starts(with: [0x49, 0x49, 0x2A, 0x00]) { return true }
        return tiff.starts(with: [0x4D, 0x4D, 0x00, 0x2A]) ? false : nil
    }

    // MARK: - Where it stands

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
