// SPDX-License-Identifier: Apache-2.0

import CZlib

/// The bytes of a source in the gzip format, compressed on demand by zlib's `deflate`.
///
/// It holds 64 KiB of the source and zlib's 256 KiB, whatever the body's size, so pacing, cuts and counts apply to the
/// compressed bytes. It compresses fast rather than well, because other connections wait on the same thread.
package final class GzipReader: BodyReader {
    private static let window = 64 * 1024

    private let source: any BodySource
    private let end: Int
    private var offset: Int
    private let stream: UnsafeMutablePointer<z_stream>
    private let input: UnsafeMutableRawBufferPointer
    package private(set) var isAtEnd = false

    package init(_ source: any BodySource, _ range: Range<Int>) throws(AssetError) {
        self.source = source
        self.offset = range.lowerBound
        self.end = range.upperBound
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        input = .allocate(byteCount: Self.window, alignment: 16)
        // If this fails there is no state, and `deflateEnd` does nothing.
        guard czlib_deflate_init_gzip(stream) == Z_OK else { throw AssetError(.file, "zlib has no memory") }
    }

    deinit {
        deflateEnd(stream)
        stream.deallocate()
        input.deallocate()
    }

    package var remaining: Int? { nil }

    package func read(into buffer: UnsafeMutableRawBufferPointer) throws(AssetError) -> Int {
        stream.pointee.next_out = buffer.baseAddress?.assumingMemoryBound(to: UInt8.self)
        stream.pointee.avail_out = uInt(buffer.count)
        while stream.pointee.avail_out > 0, !isAtEnd {
            if stream.pointee.avail_in == 0, offset < end { try refill() }
            switch deflate(stream, offset == end ? Z_FINISH : Z_NO_FLUSH) {
            case Z_STREAM_END: isAtEnd = true
            case Z_OK, Z_BUF_ERROR: break
            default: throw AssetError(.file, "zlib cannot compress the body")
            }
        }
        return buffer.count - Int(stream.pointee.avail_out)
    }

    private func refill() throws(AssetError) {
        let count = min(Self.window, end - offset)
        try source.read(into: UnsafeMutableRawBufferPointer(rebasing: input.prefix(count)), at: offset)
        offset += count
        stream.pointee.next_in = input.baseAddress?.assumingMemoryBound(to: UInt8.self)
        stream.pointee.avail_in = uInt(count)
    }
}
