// SPDX-License-Identifier: Apache-2.0

#if canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Calls of the system that go on where a signal has interrupted them; of a failure `errno` tells.
///
/// Nothing is allocated but by ``readAll(from:)``: they are made in processes that are measured.
package enum SystemCall {
    /// Makes a call until no signal interrupts it.
    package static func retried<Answer: SignedInteger>(_ call: () -> Answer) -> Answer {
        while true {
            let answer = call()
            if answer >= 0 || errno != EINTR { return answer }
        }
    }

    /// Reads what is there, at most the size of the buffer: 0 at the end, below 0 where it fails.
    package static func readSome(_ buffer: UnsafeMutableRawBufferPointer, from descriptor: CInt) -> Int {
        retried { read(descriptor, buffer.baseAddress, buffer.count) }
    }

    /// Fills a buffer from a place of a file on: fewer bytes where the file ends first, below 0 where it fails.
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

    /// Everything until the end, or `nil` where it cannot be read.
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

    /// Writes all of the bytes; `false` where it fails.
    package static func writeAll(_ bytes: UnsafeRawBufferPointer, to descriptor: CInt) -> Bool {
        var rest = bytes
        while !rest.isEmpty {
            let count = retried { write(descriptor, rest.baseAddress, rest.count) }
            guard count > 0 else { return false }
            rest = UnsafeRawBufferPointer(rebasing: rest[count...])
        }
        return true
    }

    /// The same of bytes that lie in an array, in data or in a text.
    package static func writeAll(_ bytes: some Collection<UInt8>, to descriptor: CInt) -> Bool {
        bytes.withContiguousStorageIfAvailable { writeAll(UnsafeRawBufferPointer($0), to: descriptor) }
            ?? Array(bytes).withUnsafeBytes { writeAll($0, to: descriptor) }
    }
}
