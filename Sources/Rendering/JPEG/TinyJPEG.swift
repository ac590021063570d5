// SPDX-License-Identifier: Apache-2.0

import CTurboJPEG
import TrialKit

/// A gray picture that a warm-up decodes to load the decoder's code and tables.
enum TinyJPEG {
    private static let side: CInt = 16

    static func encode() throws(RenderFailure) -> [UInt8] {
        guard let handle = tjInitCompress() else {
            throw RenderFailure(.system, "cannot start the JPEG encoder")
        }
        defer { tjDestroy(handle) }
        let pixels = [UInt8](repeating: 128, count: Int(side * side) * 3)
        let capacity = Int(tjBufSize(side, side, CInt(TJSAMP_420.rawValue)))
        var isEncoded = false
        let bytes = [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
            var target = buffer.baseAddress
            var length = UInt(capacity)
            isEncoded =
                tjCompress2(
                    handle, pixels, side, 0, side, CInt(TJPF_RGB.rawValue), &target, &length,
                    CInt(TJSAMP_420.rawValue), 90, TJFLAG_NOREALLOC) == 0
            count = isEncoded ? Int(length) : 0
        }
        guard isEncoded else { throw RenderFailure(.system, "cannot encode the picture for the warm-up") }
        return bytes
    }
}
