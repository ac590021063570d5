// SPDX-License-Identifier: Apache-2.0

import Libc

/// An open file: reading it again costs one system call, and it stays with its process even if the process's number is
/// reused.
struct Descriptor: ~Copyable, Sendable {
    let path: String
    let number: CInt

    init(opening path: String, flags: CInt = O_RDONLY) throws(MemProbeError) {
        let number = open(path, flags | O_CLOEXEC)
        guard number >= 0 else { throw .opening(path, flags, errno) }
        (self.path, self.number) = (path, number)
    }

    init(
        opening name: StaticString, in folder: borrowing Descriptor, flags: CInt = O_RDONLY
    ) throws(MemProbeError) {
        let path = "\(folder.path)/\(name)"
        let directory = folder.number
        let number = name.withCString { openat(directory, $0, flags | O_CLOEXEC) }
        guard number >= 0 else { throw .opening(path, flags, errno) }
        (self.path, self.number) = (path, number)
    }

    deinit { close(number) }

    /// Reads the file from its beginning and returns its length in bytes.
    ///
    /// The kernel generates files of `/proc` anew for each read at offset 0, and one read returns all that fits.
    ///
    /// - Throws: ``MemProbeError/Code/malformed`` if the file is longer than the buffer: half a line could be mistaken
    ///   for a whole one.
    borrowing func read(into text: borrowing TextBuffer) throws(MemProbeError) -> Int {
        let count = SystemCall.retried { pread(number, text.start, text.capacity, 0) }
        guard count >= 0 else { throw .failed(.unreadable, path, errno) }
        guard count < text.capacity else { throw MemProbeError(.malformed, source: path) }
        return count
    }

    /// Reads a part of the file and returns the number of bytes; 0 at the end.
    borrowing func read(
        into text: borrowing TextBuffer, at offset: Int, atMost wanted: Int
    ) throws(MemProbeError) -> Int {
        let count = SystemCall.retried { pread(number, text.start, min(wanted, text.capacity), off_t(offset)) }
        guard count >= 0 else { throw .failed(.unreadable, path, errno) }
        return count
    }

    /// Reads on from the end of the previous such read and returns the number of bytes; 0 at the end.
    borrowing func readOn(into start: UnsafeMutablePointer<UInt8>, atMost capacity: Int) throws(MemProbeError) -> Int {
        let count = SystemCall.readSome(UnsafeMutableRawBufferPointer(start: start, count: capacity), from: number)
        guard count >= 0 else { throw .failed(.unreadable, path, errno) }
        return count
    }

    borrowing func write(_ byte: UInt8) throws(MemProbeError) {
        let count = withUnsafePointer(to: byte) { byte in SystemCall.retried { pwrite(number, byte, 1, 0) } }
        guard count == 1 else { throw .failed(.unwritable, path, count < 0 ? errno : nil) }
    }
}

extension MemProbeError {
    fileprivate static func opening(_ path: String, _ flags: CInt, _ errno: CInt) -> MemProbeError {
        failed(flags & O_WRONLY == 0 ? .unreadable : .unwritable, path, errno)
    }

    /// Returns the failure of a system call on a file of a process; `ESRCH` means that the process is gone.
    fileprivate static func failed(_ code: Code, _ path: String, _ errno: CInt?) -> MemProbeError {
        MemProbeError(errno == ESRCH ? .noSuchProcess : code, source: path, errno: errno)
    }
}

extension StaticString {
    /// Calls `body` with the literal as a C string, without allocating.
    func withCString<Result>(_ body: (UnsafePointer<CChar>) -> Result) -> Result {
        body(UnsafeRawPointer(utf8Start).assumingMemoryBound(to: CChar.self))
    }
}

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
