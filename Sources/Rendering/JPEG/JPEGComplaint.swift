// SPDX-License-Identifier: Apache-2.0

package import TrialKit

/// A warning or error of libjpeg-turbo, with what is needed to judge it.
///
/// A status of −1 means both a picture with a warning and no picture. The error code is not enough either: it stays at
/// *warning* if a fatal error follows one. So code, text and the image's end are judged together.
package struct JPEGComplaint {
    /// The library's text: that of the fatal error if any, else that of the first warning.
    package var text: String
    /// True if there was a warning; a fatal error may have followed it.
    package var isWarning: Bool
    package var hasEnd: Bool

    /// The distance from the end within which an end marker is searched: cameras and servers append bytes.
    private static let tailLength = 65_536

    /// The messages of two versions of the library about exceeding the memory limit.
    private static let memoryLimitTexts = ["Backing store not supported", "Memory limit exceeded"]

    /// The messages of the library about intact pictures that it cannot decode, or not in this way.
    private static let rareKindTexts = [
        "Unsupported JPEG", "Unsupported color", "not implemented", "Suspension not allowed",
    ]

    /// The failure of a CMYK picture, which requires a color profile.
    static let ofInk = RenderFailure.unsupported("a CMYK JPEG")

    /// Creates a complaint about an image whose bytes are all present.
    package init(text: String, isWarning: Bool, bytes: UnsafeRawBufferPointer) {
        let tail = bytes.suffix(Self.tailLength)
        // Within picture data no byte 0xFF is followed by 0xD9, so a truncated picture has no such pair.
        let hasEnd = zip(tail, tail.dropFirst()).contains { $0 == 0xFF && $1 == 0xD9 }
        self.init(text: text, isWarning: isWarning, hasEnd: hasEnd)
    }

    init(text: String, isWarning: Bool, hasEnd: Bool) {
        self.text = text
        self.isWarning = isWarning
        self.hasEnd = hasEnd
    }

    /// True if the image ends before the picture does.
    ///
    /// Only the first warning's text is kept, so after any other warning the missing end marker is the indication.
    package var isTruncation: Bool {
        isWarning && (text.contains("remature end") || !hasEnd)
    }

    package var failure: RenderFailure {
        if Self.memoryLimitTexts.contains(where: text.contains) {
            return RenderFailure(
                .overLimit, "decoding needs more working memory than the limit of --max-decode-memory allows")
        }
        if text.contains("more than 500 scans") {
            return RenderFailure(.overLimit, text)
        }
        if text.contains("Insufficient memory") {
            return RenderFailure(.system, text)
        }
        if Self.rareKindTexts.contains(where: text.contains) {
            return .unsupported("a JPEG of a rare kind (\(text))")
        }
        return RenderFailure(isTruncation ? .truncatedImage : .notAnImage, text)
    }
}
