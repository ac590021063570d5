// SPDX-License-Identifier: Apache-2.0

/// The picture of the reference case: a landscape of 24 megapixels that is painted, never shipped.
///
/// It is painted by integer arithmetic from a fixed seed, so every machine makes the same pixels, and encoded by an
/// encoder whose SIMD and C code agree to the bit, so every machine makes the same file.
package enum HeroImage {
    /// How the picture is encoded.
    package enum Variant: String, Sendable, CaseIterable {
        /// Sequential scans, as cameras write them: decoded row by row.
        case baseline
        /// The same coefficients in scans of rising detail: the decoder holds all of them until the last.
        case progressive
    }

    /// Pixels in a row.
    package static let width = 6000
    /// Rows.
    package static let height = 4000
    /// Raised with every change of the pixels or of the encoder's settings: a cached file of another one is stale.
    package static let generatorVersion = 1
    /// The encoder that the recorded hashes belong to; another version may write other bytes of the same picture.
    package static let encoderVersion = "libjpeg-turbo 2.1.5"

    /// Paints and encodes the picture: 13.1 MB as baseline.
    ///
    /// It takes a second or two, and 36 MB for the pixels while it runs.
    ///
    /// - Throws: ``AssetError/Code/image`` where the encoder fails.
    package static func encode(_ variant: Variant) throws(AssetError) -> [UInt8] {
        var painter = HeroPainter(width: width, height: height)
        return try HeroEncoder.encode(painter.paint(), progressive: variant == .progressive)
    }

    /// The SHA-256 of the encoded picture in hexadecimal, recorded with ``encoderVersion``.
    package static func expectedSHA256(_ variant: Variant) -> String {
        switch variant {
        case .baseline: "e4d329467d633825165fbd5cd86bc936c23535fb537c478196f306a7a558de02"
        case .progressive: "4c22dc0a72d4a414128c827d6ecf38b427686c7fb49283158812c864db829ff3"
        }
    }

    /// What a JPEG's frame header says.
    ///
    /// - Throws: ``AssetError/Code/image`` where the bytes have no frame header.
    package static func describe(
        _ bytes: [UInt8]
    ) throws(AssetError) -> (width: Int, height: Int, isProgressive: Bool) {
        let frame = try JPEGFrame(parsing: bytes)
        return (frame.width, frame.height, frame.isProgressive)
    }
}
