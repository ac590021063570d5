// SPDX-License-Identifier: Apache-2.0

import Rendering
import Testing

/// A JPEG of blocks that are each of one color, with any sampling factors: its scan is written here, bit by bit.
struct FlatBlocks {
    /// What is sampled how often, across and down: luma, and two of chroma.
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

    /// Adds a block that differs from the one before, in the codes of the standard's tables.
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

    private mutating func add(_ code: String) {
        bits += code.map { $0 == "1" }
    }

    /// The bits as bytes: the last one filled up with ones, and a zero behind each that looks like a marker.
    private var bytes: [UInt8] {
        let filled = bits + [Bool](repeating: true, count: (8 - bits.count % 8) % 8)
        return stride(from: 0, to: filled.count, by: 8).flatMap { start -> [UInt8] in
            let byte = filled[start..<start + 8].reduce(UInt8(0)) { $0 << 1 | ($1 ? 1 : 0) }
            return byte == 0xFF ? [byte, 0] : [byte]
        }
    }
}
