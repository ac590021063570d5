// SPDX-License-Identifier: Apache-2.0

import CTurboJPEG
import Rendering
import Testing

/// Makes the JPEGs of these tests.
struct TestJPEG {
    /// How the picture is stored.
    enum Kind: CaseIterable {
        case fullColour, halfColour, progressive, gray, cmyk
    }

    /// The encoder refused.
    struct EncodingFailed: Error {}

    /// Encodes a picture whose samples a function of column and row gives, in the order blue, green, red, alpha.
    static func encode(
        _ size: PixelSize, _ kind: Kind = .halfColour, quality: Int = 95, _ pixel: (Int, Int) -> Pixel
    ) throws -> [UInt8] {
        let handle = try #require(tjInitCompress())
        defer { tjDestroy(handle) }
        var pixels: [Pixel] = []
        pixels.reserveCapacity(size.pixelCount)
        for y in 0..<size.height { for x in 0..<size.width { pixels.append(pixel(x, y)) } }
        let subsampling =
            switch kind {
            case .fullColour, .cmyk: TJSAMP_444
            case .halfColour, .progressive: TJSAMP_420
            case .gray: TJSAMP_GRAY
            }
        let format = kind == .cmyk ? TJPF_CMYK : TJPF_BGRA
        let flags = TJFLAG_ACCURATEDCT | (kind == .progressive ? TJFLAG_PROGRESSIVE : 0)
        var target: UnsafeMutablePointer<UInt8>?
        var length: UInt = 0
        let status = pixels.withUnsafeBytes { bytes in
            tjCompress2(
                handle, bytes.bindMemory(to: UInt8.self).baseAddress, CInt(size.width), 0, CInt(size.height),
                CInt(format.rawValue), &target, &length, CInt(subsampling.rawValue), CInt(quality), flags)
        }
        defer { tjFree(target) }
        guard status == 0 else { throw EncodingFailed() }
        return Array(UnsafeBufferPointer(start: target, count: Int(length)))
    }

    /// Encodes a soft gradient.
    static func gradient(_ size: PixelSize, _ kind: Kind = .halfColour) throws -> [UInt8] {
        try encode(size, kind) { x, y in gradientPixel(x, y, size) }
    }

    /// A pixel of the gradient; gray, so that every kind of JPEG can store it.
    static func gradientPixel(_ x: Int, _ y: Int, _ size: PixelSize) -> Pixel {
        let level = UInt8((x * 120 / size.width) + (y * 120 / size.height))
        return Pixel(level, level, level, 255)
    }

    /// Encodes a grain that compresses badly: its encoded size counts in memory.
    static func grain(_ size: PixelSize, _ kind: Kind) throws -> [UInt8] {
        var state: UInt32 = 1
        return try encode(size, kind) { _, _ in
            state = state &* 1_664_525 &+ 1_013_904_223
            let level = UInt8(96 + state >> 26)
            return Pixel(level, level, level, 255)
        }
    }

    /// The same JPEG with another size in its frame header: a promise its data does not keep.
    static func claiming(_ size: PixelSize, in jpeg: [UInt8]) throws -> [UInt8] {
        var bytes = jpeg
        let frame = try #require(bytes.indices.first { bytes[$0] == 0xFF && [0xC0, 0xC2].contains(bytes[$0 + 1]) })
        for (offset, value) in [(5, size.height), (7, size.width)] {
            bytes[frame + offset] = UInt8(value >> 8)
            bytes[frame + offset + 1] = UInt8(value & 0xFF)
        }
        return bytes
    }
}
