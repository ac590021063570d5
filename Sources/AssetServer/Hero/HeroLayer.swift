// SPDX-License-Identifier: Apache-2.0

/// How one part of the landscape looks; a layer hides those behind it.
struct HeroLayer {
    /// Where its upper edge lies on average, and how far it strays: in thousandths of the picture's height.
    var edge: Int, relief: Int
    /// Its brightness at the top of the picture, and what it gains down to the lower edge.
    var luma: Int32, lumaRise: Int32
    /// Its blueness around 128, likewise.
    var blue: Int32, blueRise: Int32
    /// Its redness around 128, likewise.
    var red: Int32, redRise: Int32
    /// How strongly slow noise (hills, fields), fast noise (leaves, grass) and grain show in it, in 1/65536.
    var slow: Int32, fast: Int32, grain: Int32
    /// Whether clouds are seen in it.
    var isSky = false

    /// How much of a cloud covers a point, in 1/256.
    @inline(__always)
    func cloud(_ slow: Int32) -> Int32 {
        isSky ? max(0, min(220, (slow - 1000) / 40)) : 0
    }

    /// The layers from the far to the near.
    static let all = [
        HeroLayer(
            edge: -500, relief: 0, luma: 112, lumaRise: 240, blue: 168, blueRise: -125, red: 100, redRise: 90,
            slow: 0, fast: 0, grain: 2414, isSky: true),
        HeroLayer(
            edge: 430, relief: 90, luma: 110, lumaRise: 60, blue: 143, blueRise: 0, red: 119, redRise: 0,
            slow: 120, fast: 30, grain: 2614),
        HeroLayer(
            edge: 540, relief: 60, luma: 76, lumaRise: 40, blue: 129, blueRise: 0, red: 116, redRise: 0,
            slow: 150, fast: 120, grain: 2414),
        HeroLayer(
            edge: 660, relief: 50, luma: 44, lumaRise: 50, blue: 113, blueRise: 0, red: 120, redRise: 0,
            slow: 150, fast: 200, grain: 2514),
        HeroLayer(
            edge: 800, relief: 20, luma: 52, lumaRise: 60, blue: 97, blueRise: 0, red: 130, redRise: 0,
            slow: 120, fast: 260, grain: 2614),
    ]
}
