// SPDX-License-Identifier: Apache-2.0

import CTurboJPEG
import Foundation
import Rendering
import Testing
import TrialKit

/// Another program's pictures and pixels: Python's Pillow, through `pictures.py`.
enum Pillow {
    struct Failed: Error, CustomStringConvertible {
        let description: String
    }

    static func make(_ kind: String, _ size: PixelSize) throws -> [UInt8] {
        try run(["make", kind, "\(size.width)", "\(size.height)"], on: [])
    }

    static func pixels(of picture: [UInt8]) throws -> [Pixel] {
        let bytes = try run(["decode"], on: picture)
        return stride(from: 0, to: bytes.count, by: 4).map { index in
            let alpha = Int(bytes[index + 3])
            func multiplied(_ channel: Int) -> UInt8 { UInt8((Int(bytes[index + channel]) * alpha + 127) / 255) }
            return Pixel(multiplied(0), multiplied(1), multiplied(2), UInt8(alpha))
        }
    }

    static func shown(_ picture: [UInt8], in view: PixelSize) throws -> (whole: PixelSize, fitted: PixelSize) {
        let text = String(decoding: try run(["shown", "\(view.width)", "\(view.height)"], on: picture), as: UTF8.self)
        let numbers = text.split(whereSeparator: \.isWhitespace).compactMap { Int($0) }
        guard numbers.count == 4 else { throw Failed(description: "pictures.py says \(text)") }
        return (PixelSize(width: numbers[0], height: numbers[1]), PixelSize(width: numbers[2], height: numbers[3]))
    }

    private static func run(_ arguments: [String], on input: [UInt8]) throws -> [UInt8] {
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "pictures.py")
        let ended = try TestProcess.tool(
            "/usr/bin/python3", of: "python3", [script.path] + arguments, input: input)
        guard ended.status != 77 else { throw MissingTool("Python's Pillow", in: "python3-pil") }
        guard ended.status == 0 else {
            throw Failed(description: "pictures.py \(arguments) failed: \(ended.complaint)")
        }
        return ended.output
    }
}

extension Bitmap {
    var pixels: [Pixel] {
        withPixels { rows in
            (0..<rows.height).flatMap { y in (0..<rows.width).map { x in rows.row(y)[x] } }
        }
    }
}

/// How far two pictures differ in any channel of any pixel; the most there is where they differ in size.
func difference(_ left: [Pixel], _ right: [Pixel]) -> Int {
    guard left.count == right.count else { return 255 }
    return zip(left, right).reduce(0) { worst, pair in
        (0..<4).reduce(worst) { max($0, abs(Int(pair.0[$1]) - Int(pair.1[$1]))) }
    }
}

extension EncodedBytes {
    static func of(_ bytes: [UInt8]) -> EncodedBytes { .memory(bytes) }
}

struct TestJPEG {
    enum Kind: CaseIterable {
        case fullColour, halfColour, progressive, gray, cmyk
    }

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

    static func gradient(_ size: PixelSize, _ kind: Kind = .halfColour) throws -> [UInt8] {
        try encode(size, kind) { x, y in gradientPixel(x, y, size) }
    }

    static func gradientPixel(_ x: Int, _ y: Int, _ size: PixelSize) -> Pixel {
        let level = UInt8((x * 120 / size.width) + (y * 120 / size.height))
        return Pixel(level, level, level, 255)
    }

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

/// A JPEG of blocks that are each of one color, with any sampling factors: its scan is written here, bit by bit.
struct FlatBlocks {
    /// The horizontal and vertical sampling of luma and both chroma channels.
    typealias Factors = [(columns: Int, rows: Int)]

    private var bits: [Bool] = []
    /// The last sample of each component, which the next one is stored as a difference of.
    private var last = [0, 0, 0]
    private var count = 0

    /// Makes the picture: the head of another one, with other factors, and a scan of its own.
    static func jpeg(_ size: PixelSize, _ factors: Factors) throws -> [UInt8] {
        // At this quality a step of a sample is two levels.
        var bytes = try TestJPEG.encode(size, .fullColour, quality: 50) { _, _ in Pixel(128, 128, 128, 255) }
        let frame = try #require(bytes.indices.first { bytes[$0] == 0xFF && bytes[$0 + 1] == 0xC0 })
        for (index, factor) in factors.enumerated() {
            bytes[frame + 11 + 3 * index] = UInt8(factor.columns << 4 | factor.rows)
        }
        let scan = try #require(bytes.indices.first { $0 > frame && bytes[$0] == 0xFF && bytes[$0 + 1] == 0xDA })
        let headEnd = scan + 2 + Int(bytes[scan + 3])
        return bytes[..<headEnd] + Self.scan(size, factors) + [0xFF, 0xD9]
    }

    private static func scan(_ size: PixelSize, _ factors: Factors) -> [UInt8] {
        let width = 8 * (factors.map(\.columns).max() ?? 1)
        let height = 8 * (factors.map(\.rows).max() ?? 1)
        let units = ((size.width + width - 1) / width) * ((size.height + height - 1) / height)
        var scan = FlatBlocks()
        for _ in 0..<units {
            for (component, factor) in factors.enumerated() {
                for _ in 0..<factor.columns * factor.rows { scan.addBlock(of: component) }
            }
        }
        return scan.bytes
    }

    private mutating func addBlock(of component: Int) {
        count += 1
        let step = 4 + count * 5 % 4
        let difference = last[component] > 0 ? -step : step
        last[component] += difference
        // A difference of three bits, and the end of a block.
        add(component == 0 ? "100" : "110")
        let value = difference > 0 ? difference : difference + 7
        for bit in [2, 1, 0] { bits.append(value >> bit & 1 == 1) }
        add(component == 0 ? "1010" : "00")
    }

    private mutating func add(_ code: String) { bits += code.map { $0 == "1" } }

    /// The bits as bytes: the last one filled up with ones, and a zero behind each that looks like a marker.
    private var bytes: [UInt8] {
        let filled = bits + [Bool](repeating: true, count: (8 - bits.count % 8) % 8)
        return stride(from: 0, to: filled.count, by: 8).flatMap { start -> [UInt8] in
            let byte = filled[start..<start + 8].reduce(UInt8(0)) { $0 << 1 | ($1 ? 1 : 0) }
            return byte == 0xFF ? [byte, 0] : [byte]
        }
    }
}
