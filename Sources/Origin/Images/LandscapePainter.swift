// SPDX-License-Identifier: Apache-2.0

import Hashing

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

    init(_ scene: Scene) {
        let (width, height, seed) = (scene.width, scene.height, scene.seed)
        // Hills scale with the picture; leaves and grain do not.
        let smaller = scene.octavesBelowHero
        let layers = LandscapeLayer.all.map { $0.seen(in: scene.mood) }
        (self.width, self.height, self.layers) = (width, height, layers)
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

    /// The look of one part of the landscape; a layer hides those behind it.
    struct LandscapeLayer {
        /// The average height and the variation of its upper edge, in thousandths of the picture's height.
        var edge: Int, relief: Int
        /// The brightness at the top of the picture, and its increase to the lower edge.
        var luma: Int32, lumaRise: Int32
        /// The blueness around 128, likewise.
        var blue: Int32, blueRise: Int32
        /// The redness around 128, likewise.
        var red: Int32, redRise: Int32
        /// The strength of slow noise (hills, fields), fast noise (leaves, grass) and grain, in 1/65536.
        var slow: Int32, fast: Int32, grain: Int32
        var isSky = false

        /// The coverage of a point by clouds, in 1/256.
        @inline(__always)
        func cloud(_ slow: Int32) -> Int32 { isSky ? max(0, min(220, (slow - 1000) / 40)) : 0 }

        /// The layers from far to near, at noon.
        static let all = [
            LandscapeLayer(
                edge: -500, relief: 0, luma: 112, lumaRise: 240, blue: 168, blueRise: -125, red: 100, redRise: 90,
                slow: 0, fast: 0, grain: 2414, isSky: true),
            LandscapeLayer(
                edge: 430, relief: 90, luma: 110, lumaRise: 60, blue: 143, blueRise: 0, red: 119, redRise: 0,
                slow: 120, fast: 30, grain: 2614),
            LandscapeLayer(
                edge: 540, relief: 60, luma: 76, lumaRise: 40, blue: 129, blueRise: 0, red: 116, redRise: 0,
                slow: 150, fast: 120, grain: 2414),
            LandscapeLayer(
                edge: 660, relief: 50, luma: 44, lumaRise: 50, blue: 113, blueRise: 0, red: 120, redRise: 0,
                slow: 150, fast: 200, grain: 2514),
            LandscapeLayer(
                edge: 800, relief: 20, luma: 52, lumaRise: 60, blue: 97, blueRise: 0, red: 130, redRise: 0,
                slow: 120, fast: 260, grain: 2614),
        ]

        func seen(in mood: Mood) -> LandscapeLayer {
            var layer = self
            if !isSky { layer.edge += mood.horizon }
            layer.luma += mood.light
            layer.blue += mood.blue
            layer.red += mood.red
            layer.slow = slow * mood.texture / 16
            layer.fast = fast * mood.texture / 16
            layer.grain = grain * mood.grain / 16
            return layer
        }
    }

    /// Smooth noise: random values on a lattice, with soft transitions between them.
    ///
    /// All arithmetic uses integers, so the result is the same everywhere.
    struct ValueNoise {
        /// The binary logarithm of the lattice's spacing in pixels.
        private let shift: Int
        private let seed: UInt32
        /// The weight of the next lattice value at each distance from the last, in 1/256: a smooth step.
        private let steps: [Int32]
        /// The lattice values of the row that is painted, one per column.
        private var columns: [Int32]

        init(shift: Int, width: Int, seed: UInt32) {
            (self.shift, self.seed) = (shift, seed)
            let spacing = 1 << shift
            steps = (0..<spacing).map { Int32(256 * $0 * $0 * (3 * spacing - 2 * $0) / (spacing * spacing * spacing)) }
            columns = [Int32](repeating: 0, count: width >> shift + 2)
        }

        /// Adds a row of noise with values within ±32768 × `gain` ÷ 256.
        mutating func add(row y: Int, gain: Int32, to target: inout [Int32]) {
            let line = UInt32(y >> shift)
            let below = steps[y & (steps.count - 1)]
            for column in columns.indices {
                let upper = Self.value(UInt32(column), line, seed)
                let lower = Self.value(UInt32(column), line + 1, seed)
                columns[column] = (upper * (256 - below) + lower * below) * gain / 256
            }
            for start in stride(from: 0, to: target.count, by: steps.count) {
                let (left, right) = (columns[start >> shift], columns[start >> shift + 1])
                for offset in 0..<min(steps.count, target.count - start) {
                    target[start + offset] += left + ((right - left) / 16 * steps[offset]) / 16
                }
            }
        }

        /// The lattice's value at a point, within ±128.
        private static func value(_ x: UInt32, _ y: UInt32, _ seed: UInt32) -> Int32 {
            Int32(mix(x &* 0x9E37_79B1 &+ y &* 0x85EB_CA77 &+ seed) >> 24) - 128
        }

        /// Spreads every bit of a number over all bits of the result (MurmurHash3's finaliser).
        @inline(__always)
        static func mix(_ number: UInt32) -> UInt32 {
            var bits = number
            bits = (bits ^ bits >> 16) &* 0x85EB_CA6B
            bits = (bits ^ bits >> 13) &* 0xC2B2_AE35
            return bits ^ bits >> 16
        }
    }

    /// The light and air of a landscape, which distinguish the pictures.
    struct Mood: Hashable {
        /// The drop of the hills' edge relative to noon, in thousandths of the height.
        var horizon = 0
        /// The offsets of brightness, blueness and redness, of 255 each.
        var light: Int32 = 0, blue: Int32 = 0, red: Int32 = 0
        /// The strength of noise and grain, in sixteenths of noon's.
        var texture: Int32 = 16, grain: Int32 = 16

        static let noon = Mood()
        static let dawn = Mood(horizon: 60, light: -12, blue: -14, red: 24, texture: 14, grain: 9)
        static let overcast = Mood(horizon: -80, light: 10, blue: 4, red: -4, texture: 12, grain: 10)
        static let snow = Mood(horizon: -150, light: 70, blue: 16, red: -6, texture: 20, grain: 6)
        static let desert = Mood(horizon: 30, light: 24, blue: -30, red: 28, texture: 24, grain: 8)
        static let night = Mood(horizon: 110, light: -64, blue: 24, red: -10, texture: 8, grain: 14)
        static let haze = Mood(horizon: 200, light: 36, blue: 8, red: 8, texture: 6, grain: 3)
    }

    struct Scene: Hashable {
        /// An even number of pixels, up to 8192, beyond which the grain would repeat.
        var width: Int
        var height: Int
        var seed: UInt32
        var mood: Mood

        /// The number of times the longer side can be doubled before it reaches the hero's.
        var octavesBelowHero: Int {
            var (side, octaves) = (max(width, height), 0)
            while side < 4096, octaves < 3 {
                side *= 2
                octaves += 1
            }
            return octaves
        }
    }
}

/// The pixels of a picture in the layout of a JPEG: brightness at full size, colour at half size both ways.
struct PicturePlanes {
    /// The size of `luma`, two even numbers.
    var width: Int
    var height: Int
    var luma: [UInt8]
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
    let bytes: [UInt8]

    /// Converts planes by integer arithmetic with the factors of JFIF 1.02 in 1/65536; four pixels share a colour.
    init(_ planes: PicturePlanes) {
        let (width, height) = (planes.width, planes.height)
        (self.width, self.height) = (width, height)
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
