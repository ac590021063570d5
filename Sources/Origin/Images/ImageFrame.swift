// SPDX-License-Identifier: Apache-2.0

/// The encoding of an image's pixels, named as in the gallery's manifest.
package enum ImageFrame: String, Codable, Sendable, CaseIterable {
    /// A JPEG with sequential scans, as written by cameras: decoded row by row.
    case baseline
    /// A JPEG with scans of rising detail: the decoder holds all coefficients until the last.
    case progressive
    case png
    /// A lossy WebP.
    case webp

    package var mediaType: String {
        switch self {
        case .baseline, .progressive: "image/jpeg"
        case .png: "image/png"
        case .webp: "image/webp"
        }
    }

    package var fileExtension: String {
        switch self {
        case .baseline, .progressive: "jpg"
        case .png: "png"
        case .webp: "webp"
        }
    }

    /// The name and version of the encoder.
    ///
    /// TurboJPEG does not report its version: this is the one of the recorded hashes.
    var encoderVersion: String {
        switch self {
        case .baseline, .progressive: "libjpeg-turbo 2.1.5"
        case .png: PNGEncoder.version
        case .webp: WebPEncoder.version
        }
    }

    /// The permitted deviation of the file's size from the recorded one, in thousandths.
    ///
    /// The size of a JPEG follows from its coefficients; zlib and libwebp search more or less well.
    var tolerance: Int {
        switch self {
        case .baseline, .progressive: 10
        case .png, .webp: 100
        }
    }
}
