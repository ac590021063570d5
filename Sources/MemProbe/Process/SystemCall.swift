// SPDX-License-Identifier: Apache-2.0

#if canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// System calls that are repeated if a signal interrupts them; `errno` holds the reason of a failure.
///
/// Only ``readAll(from:)`` allocates: these calls are made in measured processes.
package enum SystemCall {
    package static func retried<Answer: SignedInteger>(_ call: () -> Answer) -> Answer {
        while true {
            let answer = call()
            if answer >= 0 || errno != EINTR { return answer }
        }
    }

    /// Reads at most the size of the buffer; returns 0 at the end and a negative number if reading fails.
    package static func readSome(_ buffer: UnsafeMutableRawBufferPointer, from descriptor: CInt) -> Int {
        retried { read(descriptor, buffer.baseAddress, buffer.count) }
    }

    /// Fills a buffer from an offset of a file; returns fewer bytes at the end, a negative number if reading fails.
    package static func fill(
        _ buffer: UnsafeMutableRawBufferPointer, from descriptor: CInt, at offset: Int
    ) -> Int {
        var done = 0
        while done < buffer.count {
            let count = retried {
                pread(descriptor, buffer.baseAddress?.advanced(by: done), buffer.count - done, off_t(offset + done))
            }
            guard count >= 0 else { return count }
            if count == 0 { break }
            done += count
        }
        return done
    }

    /// Reads everything until the end, or returns `nil` if that fails.
    package static func readAll(from descriptor: CInt) -> [UInt8]? {
        var bytes: [UInt8] = []
        let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 14, alignment: 16)
        defer { piece.deallocate() }
        while true {
            let count = readSome(piece, from: descriptor)
            guard count > 0 else { return count == 0 ? bytes : nil }
            bytes += piece[..<count]
        }
    }

    /// Writes all of the bytes, or returns false if that fails.
    package static func writeAll(_ bytes: UnsafeRawBufferPointer, to descriptor: CInt) -> Bool {
        var rest = bytes
        while !rest.isEmpty {
            let count = retried { write(descriptor, rest.baseAddress, rest.count) }
            guard count > 0 else { return false }
            rest = UnsafeRawBufferPointer(rebasing: rest[count...])
        }
        return true
    }

    /// Writes all bytes of an array, data or text, or returns false if that fails.
    package static func writeAll(_ bytes: some Collection<UInt8>, to descriptor: CInt) -> Bool {
        bytes.withContiguousStorageIfAvailable { writeAll(UnsafeRawBufferPointer($0), to: descriptor) }
            ?? Array(bytes).withUnsafeBytes { writeAll($0, to: descriptor) }
    }
}
