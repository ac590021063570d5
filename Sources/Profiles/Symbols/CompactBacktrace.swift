// SPDX-License-Identifier: Apache-2.0

/// Return addresses in the compact form that the language's `Runtime` module reads.
///
/// The form is published: `docs/CompactBacktraceFormat.md` of the Swift repository, version 0 with words of 64 bits.
enum CompactBacktrace {
    /// The bytes of a list of return addresses.
    static func bytes(ofReturnAddresses addresses: [UInt64]) -> [UInt8] {
        var bytes: [UInt8] = [0b10]
        for address in addresses {
            // "ra", absolute, of 8 bytes.
            bytes.append(0b0010_1000 | 7)
            bytes += CompactWord.bigEndian(address)
        }
        bytes.append(0)
        return bytes
    }
}

/// Programs and libraries in the compact form that the language's `Runtime` module reads.
///
/// `docs/CompactImageMapFormat.md` of the Swift repository describes it; the name of the platform that follows the first
/// byte was added since.
enum CompactImageMap {
    /// The bytes of images, which have to be in the order of their addresses.
    static func bytes(of images: [LoadedImage]) -> [UInt8] {
        var bytes: [UInt8] = [0b10]
        let platform = [UInt8]("Linux".utf8)
        bytes += CompactWord.sevenBits(platform.count) + platform
        bytes += CompactWord.sevenBits(images.count)
        for image in images {
            // An absolute address of 8 bytes, an offset of 8.
            bytes.append(7 << 3 | 7)
            bytes += CompactWord.bigEndian(image.range.lowerBound)
            bytes += CompactWord.bigEndian(UInt64(image.range.count))
            bytes += CompactWord.sevenBits(0)
            bytes += string(image.path)
        }
        return bytes
    }

    /// Pieces of up to 63 bytes each, none of them abbreviated.
    private static func string(_ text: String) -> [UInt8] {
        var bytes: [UInt8] = []
        var rest = [UInt8](text.utf8)[...]
        while !rest.isEmpty {
            let piece = rest.prefix(63)
            bytes.append(UInt8(piece.count))
            bytes += piece
            rest = rest.dropFirst(63)
        }
        return bytes + [0]
    }
}

/// Numbers as the compact forms write them.
private enum CompactWord {
    static func bigEndian(_ word: UInt64) -> [UInt8] {
        (0..<8).reversed().map { UInt8(truncatingIfNeeded: word >> ($0 * 8)) }
    }

    /// Seven bits a byte, the highest first; all but the last one have their top bit set.
    static func sevenBits(_ number: Int) -> [UInt8] {
        var bytes = [UInt8(number & 0x7f)]
        var rest = number >> 7
        while rest > 0 {
            bytes.append(UInt8(rest & 0x7f) | 0x80)
            rest >>= 7
        }
        return bytes.reversed()
    }
}
