// SPDX-License-Identifier: Apache-2.0

import CZlib

/// Bytes in the gzip format.
enum Gzip {
    /// The bytes compressed, the same for the same bytes: there is no time and no name in it.
    /// - Throws: ``HolderProfileError/compression(status:)`` where zlib has no memory.
    static func compressed(_ content: [UInt8]) throws(HolderProfileError) -> [UInt8] {
        var stream = z_stream()
        let prepared = czlib_deflate_init_gzip(&stream)
        guard prepared == Z_OK else { throw .compression(status: prepared) }
        defer { deflateEnd(&stream) }
        var input = content
        var output = [UInt8](repeating: 0, count: Int(deflateBound(&stream, uLong(input.count))))
        let (status, count) = input.withUnsafeMutableBufferPointer { source in
            output.withUnsafeMutableBufferPointer { target in
                stream.next_in = source.baseAddress
                stream.avail_in = uInt(source.count)
                stream.next_out = target.baseAddress
                stream.avail_out = uInt(target.count)
                // The bound is of one call that finishes.
                return (deflate(&stream, Z_FINISH), target.count - Int(stream.avail_out))
            }
        }
        guard status == Z_STREAM_END else { throw .compression(status: status) }
        return Array(output.prefix(count))
    }
}
