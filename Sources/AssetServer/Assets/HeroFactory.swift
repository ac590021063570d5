// SPDX-License-Identifier: Apache-2.0

/// What makes the images of the library: the seam to the encoder.
package struct HeroFactory: Sendable {
    /// The version of the pixels.
    package var generatorVersion: Int
    /// The name and version of what encodes them.
    package var encoderVersion: String
    /// Encodes an image; takes seconds.
    package var encode: @Sendable (HeroImage.Variant) throws(AssetError) -> [UInt8]
    /// The hash that the reference encoder's image has.
    package var expectedSHA256: @Sendable (HeroImage.Variant) -> String
    /// Reads what an encoded image says about itself.
    package var describe: @Sendable ([UInt8]) throws(AssetError) -> (width: Int, height: Int, isProgressive: Bool)

    /// Creates a factory from its parts.
    package init(
        generatorVersion: Int, encoderVersion: String,
        encode: @escaping @Sendable (HeroImage.Variant) throws(AssetError) -> [UInt8],
        expectedSHA256: @escaping @Sendable (HeroImage.Variant) -> String,
        describe: @escaping @Sendable ([UInt8]) throws(AssetError) -> (width: Int, height: Int, isProgressive: Bool)
    ) {
        self.generatorVersion = generatorVersion
        self.encoderVersion = encoderVersion
        self.encode = encode
        self.expectedSHA256 = expectedSHA256
        self.describe = describe
    }

    /// The real images.
    package static let encoder = HeroFactory(
        generatorVersion: HeroImage.generatorVersion, encoderVersion: HeroImage.encoderVersion,
        encode: { variant throws(AssetError) in try HeroImage.encode(variant) },
        expectedSHA256: { HeroImage.expectedSHA256($0) },
        describe: { bytes throws(AssetError) in try HeroImage.describe(bytes) })
}

extension HeroImage.Variant {
    /// The word of `--asset`.
    package var assetName: String {
        switch self {
        case .baseline: "hero"
        case .progressive: "hero-progressive"
        }
    }

    /// The path that serves the image.
    package var path: String { "/assets/\(assetName).jpg" }
}
