// SPDX-License-Identifier: Apache-2.0

package import TrialKit

/// What libjpeg-turbo said about an image that it did not decode cleanly.
///
/// A status of −1 means both "the picture is there, but" and "no picture", and the code alone is not enough either:
/// it stays at *warning* when a fatal error follows one. So code, text and the image's end are judged together.
package struct JPEGComplaint {
    /// The library's text: the fatal error's if there was one, else the first warning's.
    package var text: String
    /// Whether there was a warning; a fatal error may have followed it.
    package var isWarning: Bool
    /// Whether the image ends with its end marker.
    package var hasEnd: Bool

    /// How far from the end an end marker is looked for: cameras and servers append some bytes.
    private static let tailLength = 65_536

    /// What two versions of the library say when an image needs more memory than they may have.
    private static let memoryLimitTexts = ["Backing store not supported", "Memory limit exceeded"]

    /// What the library says of a picture that is intact and of a kind that it does not decode, or not in this way.
    private static let rareKindTexts = [
        "Unsupported JPEG", "Unsupported color", "not implemented", "Suspension not allowed",
    ]

    /// A picture in the colors of ink, which takes a color profile to show.
    static let ofInk = RenderFailure.unsupported("a CMYK JPEG")

    /// Takes down a complaint about an image whose bytes are all there.
    package init(text: String, isWarning: Bool, bytes: UnsafeRawBufferPointer) {
        let tail = bytes.suffix(Self.tailLength)
        // Within picture data no byte 0xFF is followed by 0xD9, so a picture cut short has no such pair.
        let hasEnd = zip(tail, tail.dropFirst()).contains { $0 == 0xFF && $1 == 0xD9 }
        self.init(text: text, isWarning: isWarning, hasEnd: hasEnd)
    }

    /// Takes down a complaint about an image of which it is known whether it has its end.
    init(text: String, isWarning: Bool, hasEnd: Bool) {
        self.text = text
        self.isWarning = isWarning
        self.hasEnd = hasEnd
    }

    /// Whether the image ends before the picture does.
    ///
    /// Only the first warning's text is kept, so behind any other one the missing end marker tells.
    package var isTruncation: Bool {
        isWarning && (text.contains("remature end") || !hasEnd)
    }

    /// The complaint as a reason for a picture that cannot be had.
    package var failure: RenderFailure {
        if Self.memoryLimitTexts.contains(where: text.contains) {
            let name = DecoderMemory.environment.name
            let limit = DecoderMemory.limitBytes
            return RenderFailure(
                .overLimit, "decoding takes more memory of its own than \(name) allows (\(limit) bytes in a trial)")
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
