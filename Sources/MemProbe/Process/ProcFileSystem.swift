// SPDX-License-Identifier: Apache-2.0

import CMemProbe
package import Libc

/// The mounted `/proc`, in which processes have numbers.
///
/// A new PID namespace (`unshare --pid`) numbers processes anew. Where it still has the `/proc` of the old one, every
/// number there is another process's.
public enum ProcFileSystem {
    /// The reason why processes cannot be found by their numbers here, or `nil` if they can.
    ///
    /// It is ``MemProbeError/Code/otherNamespace``, or ``MemProbeError/Code/unreadable`` without a `/proc`.
    public static let obstacle: MemProbeError? =
        switch cmemprobe_check_proc() {
        case 0: nil
        case ESRCH: MemProbeError(.otherNamespace, source: "/proc")
        case let errno: MemProbeError(.unreadable, source: "/proc/self", errno: errno)
        }
}

extension Descriptor {
    /// Returns the text of a file of the kernel with settings, not measurements; throws if it is longer than 64 KiB.
    static func text(ofFileAt path: String) throws(MemProbeError) -> String {
        let file = try Descriptor(opening: path)
        let buffer = TextBuffer()
        return String(decoding: buffer.prefix(try file.read(into: buffer)), as: UTF8.self)
    }
}

/// A buffer for one file of `/proc`, allocated once so that reading allocates nothing.
struct TextBuffer: ~Copyable, @unchecked Sendable {
    /// The number of bytes that fit by default.
    ///
    /// A `status` is 1.5 KiB long, but one of its lines lists all groups of the user: 64 KiB fit 5,000 groups. The
    /// kernel touches only the part that it fills, so the rest costs no memory.
    static let standardCapacity = 65536

    let start: UnsafeMutablePointer<UInt8>
    let capacity: Int

    init(capacity: Int = TextBuffer.standardCapacity) {
        self.capacity = capacity
        start = .allocate(capacity: capacity)
        // Most files fit in one page, which is touched now instead of in the first measurement.
        start.initialize(repeating: 0, count: min(capacity, 4096))
    }

    deinit { start.deallocate() }

    borrowing func prefix(_ count: Int) -> UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: start, count: count)
    }
}

package struct FolderStream: ~Copyable {
    private let stream: OpaquePointer

    package init?(_ path: String) {
        guard let stream = opendir(path) else { return nil }
        self.stream = stream
    }

    deinit { closedir(stream) }

    package var descriptor: CInt { dirfd(stream) }

    /// Returns the name of the next entry, `nil` after the last one.
    package mutating func next() -> String? { readdir(stream).map { Self.name(of: $0) } }

    /// Returns the name of an entry without copying the whole field.
    ///
    /// The field is declared with 256 bytes, but a record ends with its name: a copy of the field reads past the
    /// record, and the last one of a full buffer may be followed by unmapped memory.
    package static func name(of entry: UnsafeMutablePointer<dirent>) -> String {
        guard let name = entry.pointer(to: \.d_name) else {
            preconditionFailure("d_name is stored in the record")
        }
        return String(cString: UnsafeRawPointer(name).assumingMemoryBound(to: CChar.self))
    }
}
