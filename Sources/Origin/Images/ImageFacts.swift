// SPDX-License-Identifier: Apache-2.0

/// What an image of the library has to be, as recorded when it was made first.
package struct ImageFacts: Hashable, Sendable {
    /// The size of the file that the recorded encoder wrote, in bytes.
    package var byteCount: Int
    /// The SHA-256 of that file; the same image of another version of an encoder has another one.
    package var sha256: String
    /// The SHA-256 of the painted pixels, which every machine makes alike.
    package var pixelsSHA256: String

    package init(_ byteCount: Int, _ sha256: String, pixels: String) {
        self.byteCount = byteCount
        self.sha256 = sha256
        pixelsSHA256 = pixels
    }

    /// What is wrong with an image, or `nil` where it is what is recorded, but for the freedom of another encoder.
    func complaint(about encoded: LibraryImage.Encoded, frame: ImageFrame) -> String? {
        guard encoded.pixelsSHA256 == pixelsSHA256 else {
            return
                "has other pixels than recorded: the arithmetic of this build is wrong, or its generator's version is"
        }
        let difference = abs(encoded.bytes.count - byteCount)
        guard difference * 1000 <= byteCount * frame.tolerance else {
            return "has \(encoded.bytes.count) bytes; recorded are \(byteCount) ± \(frame.tolerance) ‰"
        }
        return nil
    }
}
