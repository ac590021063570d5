// SPDX-License-Identifier: Apache-2.0

import CWebP
import TrialKit

enum WebPDecoder {
    static func decode(
        _ bytes: UnsafeRawBufferPointer, _ order: PictureOrder, _ orientation: Orientation
    ) throws(RenderFailure) -> DecodedPicture {
        let picture = try WebPPicture(WebPHeader(parsing: bytes), order, orientation)
        try picture.check(next: bytes)
        let start = bytes.bindMemory(to: UInt8.self).baseAddress
        guard try WebPPicture.isComplete(WebPDecode(start, bytes.count, picture.configuration)) else {
            throw RenderFailure(.truncatedImage, "the WebP ends before its picture does")
        }
        return try picture.decoded()
    }
}
