// SPDX-License-Identifier: Apache-2.0

struct JPEGFrame {
    var width: Int
    var height: Int
    /// True if the scans refine one another (`SOF2`) instead of following one another (`SOF0`, `SOF1`).
    var isProgressive: Bool

    /// Finds the frame header before the first scan (ITU-T T.81, annex B); throws ``AssetError/Code/image``.
    init(parsing bytes: [UInt8]) throws(AssetError) {
        guard bytes.starts(with: [0xFF, 0xD8]) else { throw AssetError(.image, "not a JPEG") }
        var position = 2
        while position + 9 <= bytes.count, bytes[position] == 0xFF {
            let marker = bytes[position + 1]
            switch marker {
            case 0xC0, 0xC1, 0xC2:
                height = Int(bytes[position + 5]) << 8 | Int(bytes[position + 6])
                width = Int(bytes[position + 7]) << 8 | Int(bytes[position + 8])
                isProgressive = marker == 0xC2
                return
            case 0xFF:
                // A segment may be preceded by padding bytes of this value.
                position += 1
            default:
                position += 2 + (Int(bytes[position + 2]) << 8 | Int(bytes[position + 3]))
            }
        }
        throw AssetError(.image, "the JPEG has no frame header in front of its first scan")
    }
}
