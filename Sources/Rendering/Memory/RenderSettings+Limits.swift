// SPDX-License-Identifier: Apache-2.0

import TrialKit

extension RenderSettings {
    /// Refuses a picture that claims more pixels than are decoded.
    ///
    /// - Throws: ``RenderFailure/Code/overLimit``.
    func check(_ size: PixelSize) throws(RenderFailure) {
        guard size.pixelCount <= maximumPixels else {
            throw RenderFailure(.overLimit, "\(size) is \(size.pixelCount) pixels, the limit is \(maximumPixels)")
        }
    }

    /// Refuses a body, or as much of one as has arrived, that is longer than what is decoded.
    ///
    /// - Throws: ``RenderFailure/Code/overLimit``.
    func check(encodedByteCount count: Int) throws(RenderFailure) {
        guard count <= maximumEncodedBytes else {
            throw RenderFailure(.overLimit, "\(count) encoded bytes, the limit is \(maximumEncodedBytes)")
        }
    }
}

extension DecoderMemory {
    /// Refuses a picture that takes more memory on the way to its pixels than a decoder may have.
    ///
    /// - Throws: ``RenderFailure/Code/overLimit``.
    static func check(_ byteCount: Int, toDecode what: String) throws(RenderFailure) {
        guard byteCount <= limitBytes else {
            throw RenderFailure(
                .overLimit, "\(what) takes \(byteCount) bytes beside its bitmap, the limit is \(limitBytes)")
        }
    }
}
