// SPDX-License-Identifier: Apache-2.0

/// How the pixels of an image are stored, in the word of the gallery's manifest.
package enum ImageFrame: String, Codable, Sendable, CaseIterable {
    /// A JPEG of sequential scans, as cameras write them: decoded row by row.
    case baseline
    /// A JPEG of scans of rising detail: the decoder holds all coefficients until the last.
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

    /// What its files' names end with.
    package var fileExtension: String {
        switch self {
        case .baseline, .progressive: "jpg"
        case .png: "png"
        case .webp: "webp"
        }
    }

    /// The name and version of what encodes it.
    ///
    /// TurboJPEG does not say its version: this is the one that the recorded hashes belong to.
    var encoderVersion: String {
        switch self {
        case .baseline, .progressive: "libjpeg-turbo 2.1.5"
        case .png: PNGEncoder.version
        case .webp: WebPEncoder.version
        }
    }

    /// By how many thousandths the size of a file may differ from the recorded one where another encoder wrote it.
    ///
    /// What a JPEG of given coefficients takes is settled; how well zlib and libwebp search is not.
    var tolerance: Int {
        switch self {
        case .baseline, .progressive: 10
        case .png, .webp: 100
        }
    }
}
