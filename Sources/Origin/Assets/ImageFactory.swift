// SPDX-License-Identifier: Apache-2.0

/// What makes the images of the library: the seam to the encoders.
package struct ImageFactory: Sendable {
    /// The version of the pixels.
    package var generatorVersion: Int
    /// The name and version of what encodes images of a kind.
    package var encoderVersion: @Sendable (ImageFrame) -> String
    /// Encodes an image; takes seconds.
    package var encode: @Sendable (LibraryImage) throws(AssetError) -> LibraryImage.Encoded
    /// What an image has to be, or `nil` where nothing is recorded.
    package var facts: @Sendable (LibraryImage) -> ImageFacts?
    /// Reads what an encoded image says about itself.
    package var header: @Sendable ([UInt8]) throws(AssetError) -> ImageHeader

    package init(
        generatorVersion: Int, encoderVersion: @escaping @Sendable (ImageFrame) -> String,
        encode: @escaping @Sendable (LibraryImage) throws(AssetError) -> LibraryImage.Encoded,
        facts: @escaping @Sendable (LibraryImage) -> ImageFacts?,
        header: @escaping @Sendable ([UInt8]) throws(AssetError) -> ImageHeader
    ) {
        self.generatorVersion = generatorVersion
        self.encoderVersion = encoderVersion
        self.encode = encode
        self.facts = facts
        self.header = header
    }

    package static let encoder = ImageFactory(
        generatorVersion: LibraryImage.generatorVersion, encoderVersion: { $0.encoderVersion },
        encode: { image throws(AssetError) in try image.encode() }, facts: { ImageFacts.recorded[$0.name] },
        header: { bytes throws(AssetError) in try ImageHeader(parsing: bytes) })
}
