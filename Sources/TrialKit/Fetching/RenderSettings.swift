// SPDX-License-Identifier: Apache-2.0

/// The view to render into, and the limits of decoding.
public struct RenderSettings: Codable, Hashable, Sendable {
    /// The view's width in pixels.
    public var viewWidth: Int
    /// The view's height in pixels.
    public var viewHeight: Int
    /// The largest number of pixels of an image.
    public var maximumPixels: Int
    /// The largest number of encoded bytes of an image.
    public var maximumEncodedBytes: Int
    /// The most memory of a decoder besides the picture, in bytes; `nil` for 256 MiB.
    ///
    /// The harness puts it into the trial's environment as `JPEGMEM`, where decoders find it.
    public var maximumDecoderBytes: Int?

    /// Creates settings; the defaults are a 390×844 pt view at 3x, 100 megapixels and 200 MB.
    public init(
        viewWidth: Int = 1170, viewHeight: Int = 2532,
        maximumPixels: Int = 100_000_000, maximumEncodedBytes: Int = 200_000_000
    ) {
        self.viewWidth = viewWidth
        self.viewHeight = viewHeight
        self.maximumPixels = maximumPixels
        self.maximumEncodedBytes = maximumEncodedBytes
    }
}
