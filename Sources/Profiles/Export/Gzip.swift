// SPDX-License-Identifier: Apache-2.0

import CZlib

enum Gzip {
    /// Compresses bytes reproducibly: the header has neither time nor name.
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
                // The output's bound holds for a single call with Z_FINISH.
                return (deflate(&stream, Z_FINISH), target.count - Int(stream.avail_out))
            }
        }
        guard status == Z_STREAM_END else { throw .compression(status: status) }
        return Array(output.prefix(count))
    }
}
