// SPDX-License-Identifier: Apache-2.0

/// Return addresses in the compact format that Swift's `Runtime` module reads.
///
/// `docs/CompactBacktraceFormat.md` of the Swift repository describes it; this is version 0 with words of 64 bits.
enum CompactBacktrace {
    static func bytes(ofReturnAddresses addresses: [UInt64]) -> [UInt8] {
        var bytes: [UInt8] = [0b10]
        for address in addresses {
            // A return address ("ra"), absolute, of 8 bytes.
            bytes.append(0b0010_1000 | 7)
            bytes += CompactWord.bigEndian(address)
        }
        bytes.append(0)
        return bytes
    }
}

/// Programs and libraries in the compact format that Swift's `Runtime` module reads.
///
/// `docs/CompactImageMapFormat.md` of the Swift repository describes it, except for the platform's name after the first
/// byte, which was added later.
enum CompactImageMap {
    /// Returns the bytes of images, which must be ordered by address.
    static func bytes(of images: [LoadedImage]) -> [UInt8] {
        var bytes: [UInt8] = [0b10]
        let platform = [UInt8]("Linux".utf8)
        bytes += CompactWord.sevenBits(platform.count) + platform
        bytes += CompactWord.sevenBits(images.count)
        for image in images {
            // An absolute address of 8 bytes, and an offset of 8.
            bytes.append(7 << 3 | 7)
            bytes += CompactWord.bigEndian(image.range.lowerBound)
            bytes += CompactWord.bigEndian(UInt64(image.range.count))
            bytes += CompactWord.sevenBits(0)
            bytes += string(image.path)
        }
        return bytes
    }

    /// Encodes a text in literal pieces of up to 63 bytes.
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

private enum CompactWord {
    static func bigEndian(_ word: UInt64) -> [UInt8] {
        (0..<8).reversed().map { UInt8(truncatingIfNeeded: word >> ($0 * 8)) }
    }

    /// Encodes seven bits a byte, the highest first; all but the last byte have their top bit set.
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
