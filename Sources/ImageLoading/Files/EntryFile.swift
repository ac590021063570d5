// SPDX-License-Identifier: Apache-2.0

import Glibc
import Hashing
import Rendering
import TrialKit

/// The form in which the bytes of an entry are returned.
package enum FileReading: String, Hashable, Sendable {
    /// Pages of the file, which are not anonymous memory.
    case mapped
    /// A copy in memory, as `Data(contentsOf:)` makes on Linux.
    case copied
}

/// An opened entry file: after it has its name it is only removed or replaced, never changed.
struct EntryFile: ~Copyable {
    /// The piece size for hashing bodies, so that checking a mapped image makes none of it resident.
    private static let pieceLength = 64 * 1024

    private let descriptor: CInt
    private let path: String
    private let size: Int

    /// Opens a file, or returns `nil` if there is none.
    init?(path: String) {
        descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        self.path = path
        size = Int(max(0, lseek(descriptor, 0, SEEK_END)))
    }

    deinit {
        close(descriptor)
    }

    /// Returns the trailer after the body, or `nil` if it is damaged.
    func trailer() -> EntryTrailer? {
        guard size >= EntryTrailer.footerLength,
            let footer = bytes(at: size - EntryTrailer.footerLength, count: EntryTrailer.footerLength),
            let length = EntryTrailer.bodyLength(footer: footer, fileSize: size),
            let tail = bytes(at: length, count: size - length)
        else { return nil }
        return EntryTrailer(parsing: tail)
    }

    /// True if the body has the trailer's digest.
    func hasBody(of trailer: EntryTrailer) -> Bool {
        Self.digest(of: descriptor, byteCount: trailer.bodyLength) == trailer.bodyDigest
    }

    /// Returns the body, or `nil` if it cannot be read or mapped.
    func image(_ trailer: EntryTrailer, by reading: FileReading) -> EncodedImage? {
        let bytes: EncodedBytes
        switch reading {
        case .mapped:
            guard let file = try? MappedFile(path: path) else { return nil }
            bytes = .memory(MappedBody(file: file, byteCount: trailer.bodyLength))
        case .copied:
            guard let copy = self.bytes(at: 0, count: trailer.bodyLength) else { return nil }
            bytes = .memory(copy)
        }
        return EncodedImage(
            bytes, byteCount: trailer.bodyLength, entityTag: trailer.entityTag.isEmpty ? nil : trailer.entityTag)
    }

    /// Records the time of this use, which determines the eviction order after a restart.
    func touch() {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        let times = [now, now]
        futimens(descriptor, times)
    }

    /// Returns the SHA-256 of a file's first bytes, or `nil` if there are fewer.
    static func digest(of descriptor: CInt, byteCount: Int) -> [UInt8]? {
        var hash = SHA256()
        let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: pieceLength, alignment: 16)
        defer { piece.deallocate() }
        var offset = 0
        while offset < byteCount {
            let part = UnsafeMutableRawBufferPointer(rebasing: piece[..<min(pieceLength, byteCount - offset)])
            guard FilePieces.fill(part, from: descriptor, at: offset) == part.count else { return nil }
            hash.update(UnsafeRawBufferPointer(part))
            offset += part.count
        }
        return hash.digest()
    }

    private func bytes(at offset: Int, count: Int) -> [UInt8]? {
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            let whole = UnsafeMutableRawBufferPointer(start: buffer.baseAddress, count: count)
            filled = max(0, FilePieces.fill(whole, from: descriptor, at: offset))
        }
        return bytes.count == count ? bytes : nil
    }
}
