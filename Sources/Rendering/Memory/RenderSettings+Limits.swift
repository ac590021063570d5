// SPDX-License-Identifier: Apache-2.0

import TrialKit

extension RenderSettings {
    /// Throws ``RenderFailure/Code/overLimit`` for a picture with more than the permitted pixels.
    func check(_ size: PixelSize) throws(RenderFailure) {
        guard size.pixelCount <= maximumPixels else {
            throw RenderFailure(.overLimit, "\(size) is \(size.pixelCount) pixels, the limit is \(maximumPixels)")
        }
    }

    /// Throws ``RenderFailure/Code/overLimit`` if a body, or its received part, is too long.
    func check(encodedByteCount count: Int) throws(RenderFailure) {
        guard count <= maximumEncodedBytes else {
            throw RenderFailure(.overLimit, "\(count) encoded bytes, the limit is \(maximumEncodedBytes)")
        }
    }
}

extension DecoderMemory {
    /// Throws ``RenderFailure/Code/overLimit`` for a picture that requires more memory than a decoder may use.
    static func check(_ byteCount: Int, toDecode what: String) throws(RenderFailure) {
        guard byteCount <= limitBytes else {
            throw RenderFailure(
                .overLimit, "\(what) needs \(byteCount) bytes besides its bitmap; the limit is \(limitBytes)")
        }
    }
}
