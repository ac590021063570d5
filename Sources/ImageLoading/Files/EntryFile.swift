// SPDX-License-Identifier: Apache-2.0

import Glibc
import Hashing
import Rendering
import TrialKit

/// How the bytes of an entry are handed out.
package enum FileReading: String, Hashable, Sendable {
    /// As pages of the file, which are nobody's memory.
    case mapped
    /// In memory of their own, as `Data(contentsOf:)` does on Linux.
    case copied
}

/// An entry's file that was opened: never changed once it has its name, only removed or replaced.
struct EntryFile: ~Copyable {
    /// The piece in which bodies are hashed, so that checking a mapped image makes none of it resident.
    private static let pieceLength = 64 * 1024

    private let descriptor: CInt
    private let path: String
    private let size: Int

    /// Opens a file; `nil` where there is none.
    init?(path: String) {
        descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        self.path = path
        size = Int(max(0, lseek(descriptor, 0, SEEK_END)))
    }

    deinit {
        close(descriptor)
    }

    /// What stands behind the body; `nil` where it is damaged.
    func trailer() -> EntryTrailer? {
        guard size >= EntryTrailer.footerLength,
            let footer = bytes(at: size - EntryTrailer.footerLength, count: EntryTrailer.footerLength),
            let length = EntryTrailer.bodyLength(footer: footer, fileSize: size),
            let tail = bytes(at: length, count: size - length)
        else { return nil }
        return EntryTrailer(parsing: tail)
    }

    /// Whether the body is the one that was written.
    func hasBody(of trailer: EntryTrailer) -> Bool {
        Self.digest(of: descriptor, byteCount: trailer.bodyLength) == trailer.bodyDigest
    }

    /// The body as it is handed out; `nil` where it cannot be read or mapped.
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

    /// Notes the time of this use, which decides what goes first after a restart.
    func touch() {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        let times = [now, now]
        futimens(descriptor, times)
    }

    /// The SHA-256 of a file's first bytes, read piece by piece; `nil` where there are not as many.
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
