// SPDX-License-Identifier: Apache-2.0

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
    func cloud(_ slow: Int32) -> Int32 {
        isSky ? max(0, min(220, (slow - 1000) / 40)) : 0
    }

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

    func seen(in mood: LandscapeMood) -> LandscapeLayer {
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

/// The light and air of a landscape, which distinguish the pictures.
struct LandscapeMood: Hashable {
    /// The drop of the hills' edge relative to noon, in thousandths of the height.
    var horizon = 0
    /// The offsets of brightness, blueness and redness, of 255 each.
    var light: Int32 = 0, blue: Int32 = 0, red: Int32 = 0
    /// The strength of noise and grain, in sixteenths of noon's.
    var texture: Int32 = 16, grain: Int32 = 16

    static let noon = LandscapeMood()
    static let dawn = LandscapeMood(horizon: 60, light: -12, blue: -14, red: 24, texture: 14, grain: 9)
    static let overcast = LandscapeMood(horizon: -80, light: 10, blue: 4, red: -4, texture: 12, grain: 10)
    static let snow = LandscapeMood(horizon: -150, light: 70, blue: 16, red: -6, texture: 20, grain: 6)
    static let desert = LandscapeMood(horizon: 30, light: 24, blue: -30, red: 28, texture: 24, grain: 8)
    static let night = LandscapeMood(horizon: 110, light: -64, blue: 24, red: -10, texture: 8, grain: 14)
    static let haze = LandscapeMood(horizon: 200, light: 36, blue: 8, red: 8, texture: 6, grain: 3)
}
