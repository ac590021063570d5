// SPDX-License-Identifier: Apache-2.0

import Hashing

/// The pixels of a picture in the layout of a JPEG: brightness at full size, colour at half size both ways.
struct PicturePlanes {
    /// The size of `luma`, two even numbers.
    var width: Int
    var height: Int
    var luma: [UInt8]
    /// The chroma planes, centred on 128.
    var blue: [UInt8]
    var red: [UInt8]

    /// The SHA-256 of the concatenated planes, in lower-case hexadecimal; independent of any encoder.
    var sha256: String {
        var hash = SHA256()
        for plane in [luma, blue, red] { plane.withUnsafeBytes { hash.update($0) } }
        return hash.hexadecimal()
    }
}

/// Pixels as red, green and blue of a byte each, without row padding: the input of the PNG and WebP encoders.
struct PicturePixels {
    let width: Int
    let height: Int
    /// The samples, three bytes per pixel.
    let bytes: [UInt8]

    /// Converts planes by integer arithmetic with the factors of JFIF 1.02 in 1/65536; four pixels share a colour.
    init(_ planes: PicturePlanes) {
        let (width, height) = (planes.width, planes.height)
        self.width = width
        self.height = height
        bytes = [UInt8](unsafeUninitializedCapacity: width * height * 3) { buffer, count in
            var position = 0
            for y in 0..<height {
                for x in 0..<width {
                    let colour = y / 2 * (width / 2) + x / 2
                    let light = Int32(planes.luma[y * width + x]) << 16 + 32768
                    let (blue, red) = (Int32(planes.blue[colour]) - 128, Int32(planes.red[colour]) - 128)
                    buffer[position] = Self.byte(light + 91_881 * red)
                    buffer[position + 1] = Self.byte(light - 22_554 * blue - 46_802 * red)
                    buffer[position + 2] = Self.byte(light + 116_130 * blue)
                    position += 3
                }
            }
            count = position
        }
    }

    @inline(__always)
    private static func byte(_ sum: Int32) -> UInt8 { UInt8(max(0, min(255, sum >> 16))) }
}
