// SPDX-License-Identifier: Apache-2.0

/// A progressive JPEG of 2 KiB that claims 20000×20000 pixels.
///
/// Its header is valid, so a decoder that allocates before it checks limits needs more than a gigabyte. The segments
/// are those of ITU-T T.81, annex B.
package enum BombImage {
    package static let side = 20_000

    package static let byteCount = 2048

    package static let bytes: [UInt8] = {
        var bytes = marker(0xD8) + application + quantization + frame + huffman + scan
        // A zero bit is the code of category 0 here: every difference is 0, at one bit per block.
        bytes += [UInt8](repeating: 0, count: byteCount - bytes.count - 2)
        return bytes + marker(0xD9)
    }()

    private static func marker(_ code: UInt8) -> [UInt8] { [0xFF, code] }

    /// A segment: marker, length (which includes its own two bytes) and content.
    private static func segment(_ code: UInt8, _ content: [UInt8]) -> [UInt8] {
        marker(code) + word(content.count + 2) + content
    }

    private static func word(_ value: Int) -> [UInt8] { [UInt8(value >> 8 & 0xFF), UInt8(value & 0xFF)] }

    /// APP0: JFIF 1.1, no density, no thumbnail.
    private static let application = segment(0xE0, Array("JFIF".utf8) + [0, 1, 1, 0, 0, 1, 0, 1, 0, 0])

    /// DQT: one table of ones.
    private static let quantization = segment(0xDB, [0] + [UInt8](repeating: 1, count: 64))

    /// SOF2: progressive, 8 bits, three components of which the first is sampled 2×2.
    private static let frame = segment(
        0xC2, [8] + word(side) + word(side) + [3, 1, 0x22, 0, 2, 0x11, 0, 3, 0x11, 0])

    /// DHT: a DC table with one code of one bit, for category 0.
    private static let huffman = segment(0xC4, [0, 1] + [UInt8](repeating: 0, count: 15) + [0])

    /// SOS: the first scan of a progressive file, DC of all components.
    private static let scan = segment(0xDA, [3, 1, 0, 2, 0, 3, 0, 0, 0, 0])
}
