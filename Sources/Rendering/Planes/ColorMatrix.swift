// SPDX-License-Identifier: Apache-2.0

/// The conversion of luma and chroma to colors: the weights of BT.601, in units of 1/65536.
struct ColorMatrix: Sendable {
    private let black: Int32
    private let luma: Int32
    private let redOfRed: Int32
    private let greenOfBlue: Int32
    private let greenOfRed: Int32
    private let blueOfBlue: Int32

    /// The full range of 256 levels, as in a JPEG (JFIF).
    static let full = ColorMatrix(
        black: 0, luma: 65_536, redOfRed: 91_881, greenOfBlue: -22_554, greenOfRed: -46_802, blueOfBlue: 116_130)

    /// The levels 16 to 235, as in video and in a WebP.
    static let video = ColorMatrix(
        black: 16, luma: 76_309, redOfRed: 104_597, greenOfBlue: -25_675, greenOfRed: -53_279, blueOfBlue: 132_201)

    /// Returns the opaque pixel of three samples.
    @inline(__always)
    func pixel(luma sample: UInt8, blue: UInt8, red: UInt8) -> Pixel {
        let level = (Int32(sample) - black) &* luma &+ 32_768
        let (blue, red) = (Int32(blue) - 128, Int32(red) - 128)
        return Pixel(
            Self.byte(level &+ blueOfBlue &* blue),
            Self.byte(level &+ greenOfBlue &* blue &+ greenOfRed &* red),
            Self.byte(level &+ redOfRed &* red), 255)
    }

    @inline(__always)
    private static func byte(_ value: Int32) -> UInt8 {
        UInt8(truncatingIfNeeded: max(0, min(255, value >> 16)))
    }
}
