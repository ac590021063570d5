// SPDX-License-Identifier: Apache-2.0

/// The expected properties of an image of the library, recorded when it was first made.
package struct ImageFacts: Hashable, Sendable {
    /// The size of the recorded file, in bytes.
    package var byteCount: Int
    /// The SHA-256 of that file, which differs between versions of an encoder.
    package var sha256: String
    /// The SHA-256 of the painted pixels, which are the same on every machine.
    package var pixelsSHA256: String

    package init(_ byteCount: Int, _ sha256: String, pixels: String) {
        self.byteCount = byteCount
        self.sha256 = sha256
        pixelsSHA256 = pixels
    }

    /// The deviation from the recorded facts, or `nil` if there is none beyond the tolerance for another encoder.
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
