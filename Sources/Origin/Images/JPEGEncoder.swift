// SPDX-License-Identifier: Apache-2.0

import CTurboJPEG

enum JPEGEncoder {
    /// Encodes planes as a JPEG with colour at half resolution (4:2:0), using `tjCompressFromYUVPlanes`.
    ///
    /// It uses the accurate transform, whose SIMD and C code agree to the bit.
    static func encode(_ planes: PicturePlanes, quality: Int, progressive: Bool) throws(AssetError) -> [UInt8] {
        guard let handle = tjInitCompress() else { throw AssetError(.image, "cannot start the JPEG encoder") }
        defer { tjDestroy(handle) }
        let subsampling = CInt(TJSAMP_420.rawValue)
        let flags = TJFLAG_NOREALLOC | TJFLAG_ACCURATEDCT | (progressive ? TJFLAG_PROGRESSIVE : 0)
        // The encoder requires room for the worst case; pages that stay unwritten cost nothing.
        let capacity = Int(tjBufSize(CInt(planes.width), CInt(planes.height), subsampling))
        var status: CInt = -1
        let bytes = [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
            var target = buffer.baseAddress
            var length = UInt(capacity)
            withPointers(to: planes) { pointers in
                status = tjCompressFromYUVPlanes(
                    handle, pointers, CInt(planes.width), nil, CInt(planes.height), subsampling,
                    &target, &length, CInt(quality), flags)
            }
            count = status == 0 ? Int(length) : 0
        }
        guard status == 0 else {
            let reason = tjGetErrorStr2(handle).map { String(cString: $0) } ?? "no reason given"
            throw AssetError(.image, "cannot encode a picture of \(planes.width)×\(planes.height): \(reason)")
        }
        return bytes
    }

    /// Lends the three planes as the list of pointers that the encoder takes.
    private static func withPointers(
        to planes: PicturePlanes, _ body: (UnsafeMutablePointer<UnsafePointer<UInt8>?>) -> Void
    ) {
        planes.luma.withUnsafeBufferPointer { luma in
            planes.blue.withUnsafeBufferPointer { blue in
                planes.red.withUnsafeBufferPointer { red in
                    var pointers = [luma.baseAddress, blue.baseAddress, red.baseAddress]
                    pointers.withUnsafeMutableBufferPointer { list in list.baseAddress.map(body) }
                }
            }
        }
    }
}
