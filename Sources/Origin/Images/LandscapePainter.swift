// SPDX-License-Identifier: Apache-2.0

/// A painter of hazy landscapes: a sky with clouds, three ranges of hills and a meadow, with a film's grain.
struct LandscapePainter {
    private let width: Int
    private let height: Int
    private let layers: [LandscapeLayer]
    private let grainSeed: UInt32
    private var slow: [ValueNoise]
    private var fast: [ValueNoise]
    /// The row at which each layer begins, for every column.
    private let edges: [[Int32]]

    init(_ scene: LandscapeScene) {
        let (width, height, seed) = (scene.width, scene.height, scene.seed)
        // Hills scale with the picture; leaves and grain do not.
        let smaller = scene.octavesBelowHero
        let layers = LandscapeLayer.all.map { $0.seen(in: scene.mood) }
        self.width = width
        self.height = height
        self.layers = layers
        grainSeed = 0x2545_F491 &+ seed &* 0x9E37_79B1
        slow = [10, 9, 8, 7].map { shift in
            ValueNoise(shift: shift - smaller, width: width, seed: UInt32(shift) &* 0x0100_0193 &+ seed)
        }
        fast = [4, 3, 2, 1].map { ValueNoise(shift: $0, width: width, seed: UInt32($0) &* 0x0100_0193 &+ seed) }
        edges = layers.enumerated().map { index, layer in
            var ridge = [Int32](repeating: 0, count: width)
            for (octave, shift) in [10, 8, 6, 4].enumerated() {
                let ridgeSeed = UInt32(index * 8 + shift) &* 977 &+ seed
                var noise = ValueNoise(shift: shift - smaller, width: width, seed: ridgeSeed)
                noise.add(row: 0, gain: 256 >> Int32(octave * 2), to: &ridge)
            }
            return ridge.map { Int32((layer.edge * 32768 + Int($0) * layer.relief) * height / 32_768_000) }
        }
    }

    mutating func paint() -> PicturePlanes {
        let gray = [UInt8](repeating: 128, count: width / 2 * (height / 2))
        var planes = PicturePlanes(
            width: width, height: height, luma: [UInt8](repeating: 0, count: width * height), blue: gray, red: gray)
        var (slowRow, fastRow) = ([Int32](repeating: 0, count: width), [Int32](repeating: 0, count: width))
        var layerRow = [UInt8](repeating: 0, count: width)
        for y in 0..<height {
            Self.fill(&slowRow, from: &slow, row: y)
            Self.fill(&fastRow, from: &fast, row: y)
            for (index, edge) in edges.enumerated() {
                for x in 0..<width where edge[x] <= Int32(y) { layerRow[x] = UInt8(index) }
            }
            paintLuma(y, layerRow.span, slowRow.span, fastRow.span, into: &planes.luma)
            if y.isMultiple(of: 2) { paintColour(y, layerRow.span, slowRow.span, into: &planes) }
        }
        return planes
    }

    /// Sums octaves of noise, each half as strong as the one before.
    private static func fill(_ target: inout [Int32], from octaves: inout [ValueNoise], row y: Int) {
        for x in target.indices { target[x] = 0 }
        for index in octaves.indices { octaves[index].add(row: y, gain: 128 >> Int32(index), to: &target) }
    }

    /// Paints the brightness of a row: light, shades, texture and grain of the layer at each column.
    private func paintLuma(
        _ y: Int, _ layerRow: Span<UInt8>, _ slowRow: Span<Int32>, _ fastRow: Span<Int32>, into luma: inout [UInt8]
    ) {
        let light = layers.map { $0.luma + $0.lumaRise * Int32(y) / Int32(height) }
        for x in 0..<width {
            let layer = layers[Int(layerRow[x])]
            let cloud = layer.cloud(slowRow[x])
            var value = light[Int(layerRow[x])] << 16
            value += (244 << 16 - value) / 256 * cloud
            value += slowRow[x] * layer.slow + fastRow[x] * layer.fast
            value += grain(x, y) * layer.grain
            luma[y * width + x] = Self.byte(value >> 16)
        }
    }

    /// Paints the colours of a row and the one below it.
    private func paintColour(
        _ y: Int, _ layerRow: Span<UInt8>, _ slowRow: Span<Int32>, into planes: inout PicturePlanes
    ) {
        let blue = layers.map { $0.blue + $0.blueRise * Int32(y) / Int32(height) }
        let red = layers.map { $0.red + $0.redRise * Int32(y) / Int32(height) }
        for x in stride(from: 0, to: width, by: 2) {
            let index = Int(layerRow[x])
            let cloud = layers[index].cloud(slowRow[x])
            let tint = slowRow[x] * layers[index].slow >> 18
            let grain = self.grain(x, y) >> 6
            let position = y / 2 * (width / 2) + x / 2
            planes.blue[position] = Self.byte(blue[index] + (127 - blue[index]) * cloud / 256 - tint + grain)
            planes.red[position] = Self.byte(red[index] + (129 - red[index]) * cloud / 256 + tint - grain)
        }
    }

    /// A film's grain: a random number within ±510 that is mostly small, the sum of four bytes.
    @inline(__always)
    private func grain(_ x: Int, _ y: Int) -> Int32 {
        let bits = ValueNoise.mix(UInt32(truncatingIfNeeded: y << 13 | x) &+ grainSeed)
        return Int32(bits & 255) + Int32(bits >> 8 & 255) + Int32(bits >> 16 & 255) + Int32(bits >> 24) - 510
    }

    @inline(__always)
    private static func byte(_ value: Int32) -> UInt8 { UInt8(max(0, min(255, value))) }
}
