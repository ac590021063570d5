// SPDX-License-Identifier: Apache-2.0

import TrialKit

extension RenderSettings {
    /// Throws ``RenderFailure/Code/overLimit`` for a picture with more than the permitted pixels.
    func check(_ size: PixelSize) throws(RenderFailure) {
        guard size.pixelCount <= maximumPixels else {
            throw RenderFailure(
                .overLimit, "\(size) is \(size.pixelCount) pixels, the limit is \(maximumPixels) (--max-pixels)")
        }
    }

    /// Throws ``RenderFailure/Code/overLimit`` if a body, or its received part, is too long.
    func check(encodedByteCount count: Int) throws(RenderFailure) {
        guard count <= maximumEncodedBytes else {
            throw RenderFailure(.overLimit, "\(count) encoded bytes, the limit is \(maximumEncodedBytes)")
        }
    }

    /// The most memory of a decoder besides the bitmap, in bytes.
    var decoderBytes: Int { maximumDecoderBytes ?? DecoderMemory.usualBytes }

    /// Throws ``RenderFailure/Code/overLimit`` for a picture that requires more memory than a decoder may use.
    func check(decoderBytes count: Int, toDecode what: String) throws(RenderFailure) {
        guard count <= decoderBytes else {
            throw RenderFailure(
                .overLimit,
                "\(what) needs \(count) bytes besides its bitmap; the limit is \(decoderBytes) (--max-decode-memory)")
        }
    }
}
