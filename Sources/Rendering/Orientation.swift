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

    /// The bytes of EXIF data in which the orientation stands, if it does: a JPEG has no room for more.
    static let searchedByteCount = 65_536
    private static let tag = 0x0112
    /// The sizes of the types that it is written in: a short number, as the standard says, or a long one.
    private static let sizes = [3: 2, 4: 4]

    /// Reads EXIF data: a TIFF of directories, perhaps behind the word `Exif`; `nil` if it notes no orientation.
    package init?(exif: UnsafeRawBufferPointer) {
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
            guard let size = number(entry + 2, 2).flatMap({ Self.sizes[$0] }), let value = number(entry + 8, size)
            else { return nil }
            self.init(rawValue: value)
            return
        }
        return nil
    }

    private static func isLittleEndian(_ tiff: UnsafeRawBufferPointer) -> Bool? {
        if tiff.starts(with: [0x49, 0x49, 0x2A, 0x00]) { return true }
        return tiff.starts(with: [0x4D, 0x4D, 0x00, 0x2A]) ? false : nil
    }
}
