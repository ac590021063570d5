// SPDX-License-Identifier: Apache-2.0

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
        self.shift = shift
        self.seed = seed
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
