// SPDX-License-Identifier: Apache-2.0

/// The functions that make the images of the library, which tests replace.
package struct ImageFactory: Sendable {
    package var generatorVersion: Int
    package var encoderVersion: @Sendable (ImageFrame) -> String
    /// Encodes an image, which takes seconds.
    package var encode: @Sendable (LibraryImage) throws(AssetError) -> LibraryImage.Encoded
    /// The expected facts of an image, or `nil` if none are recorded.
    package var facts: @Sendable (LibraryImage) -> ImageFacts?
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
