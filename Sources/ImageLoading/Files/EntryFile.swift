// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
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

    init?(path: String) {
        descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        self.path = path
        size = Int(max(0, lseek(descriptor, 0, SEEK_END)))
    }

    deinit { close(descriptor) }

    func trailer() -> EntryTrailer? {
        guard size >= EntryTrailer.footerLength,
            let footer = bytes(at: size - EntryTrailer.footerLength, count: EntryTrailer.footerLength),
            let length = EntryTrailer.bodyLength(footer: footer, fileSize: size),
            let tail = bytes(at: length, count: size - length)
        else { return nil }
        return EntryTrailer(parsing: tail)
    }

    func hasBody(of trailer: EntryTrailer) -> Bool {
        Self.digest(of: descriptor, byteCount: trailer.bodyLength) == trailer.bodyDigest
    }

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

    struct MappedBody: ContiguousBytes, Sendable {
        let file: MappedFile
        let byteCount: Int

        func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
            // The pages are valid while the file lives; an untyped error cannot pass through its typed function.
            let bytes = file.withUnsafeBytes { $0 }
            defer { withExtendedLifetime(file) {} }
            return try body(UnsafeRawBufferPointer(rebasing: bytes.prefix(byteCount)))
        }
    }
}

/// The trailer of an image's file, which describes the body and validates it.
///
/// It follows the body, so that a downloaded file becomes an entry by appending and a mapped image begins at a page.
/// The order is body, URL, entity tag, and a little-endian footer of 88 bytes: a magic word, the length of the body (8
/// bytes), of the URL (4) and of the tag (4), the SHA-256 of the body, and that of everything between the body and this
/// hash.
package struct EntryTrailer: Hashable, Sendable {
    static let footerLength = 88
    static let longestText = 16_384
    private static let magic = Array("FBimage1".utf8)
    private static let checkedFooterLength = footerLength - SHA256.byteCount

    package var url: String
    /// The origin's validator for this version, or empty if it sent none.
    package var entityTag: String
    package var bodyLength: Int
    package var bodyDigest: [UInt8]

    package init(url: String, entityTag: String?, bodyLength: Int, bodyDigest: [UInt8]) {
        self.url = url
        self.entityTag = entityTag ?? ""
        (self.bodyLength, self.bodyDigest) = (bodyLength, bodyDigest)
    }

    /// Returns the length of the trailer for this URL and tag, or `nil` if they are too long.
    static func length(url: String, entityTag: String?) -> Int? {
        let (address, tag) = (url.utf8.count, entityTag?.utf8.count ?? 0)
        return address <= longestText && tag <= longestText ? address + tag + footerLength : nil
    }

    package var bytes: [UInt8] {
        let (address, tag) = (Array(url.utf8), Array(entityTag.utf8))
        var bytes = address + tag + Self.magic
        bytes += Self.littleEndian(UInt64(bodyLength), count: 8)
        bytes += Self.littleEndian(UInt64(address.count), count: 4)
        bytes += Self.littleEndian(UInt64(tag.count), count: 4)
        bytes += bodyDigest
        return bytes + Self.digest(of: bytes[...])
    }

    /// Returns the length of the body by the file's last bytes, or `nil` if they are not a valid footer.
    package static func bodyLength(footer: [UInt8], fileSize: Int) -> Int? {
        guard footer.count == footerLength, footer.starts(with: magic) else { return nil }
        let body = number(footer[8..<16])
        let (address, tag) = (number(footer[16..<20]), number(footer[20..<24]))
        guard body <= UInt64(fileSize), address <= longestText, tag <= longestText,
            body + address + tag + UInt64(footerLength) == UInt64(fileSize)
        else { return nil }
        return Int(body)
    }

    package init?(parsing bytes: [UInt8]) {
        guard bytes.count >= Self.footerLength else { return nil }
        let footer = Array(bytes.suffix(Self.footerLength))
        let end = bytes.count - SHA256.byteCount
        let texts = bytes.count - Self.footerLength
        let address = Int(Self.number(footer[16..<20]))
        guard footer.starts(with: Self.magic), Self.digest(of: bytes[..<end]) == Array(bytes[end...]),
            address <= texts, address + Int(Self.number(footer[20..<24])) == texts,
            let length = Int(exactly: Self.number(footer[8..<16]))
        else { return nil }
        url = String(decoding: bytes[..<address], as: UTF8.self)
        entityTag = String(decoding: bytes[address..<texts], as: UTF8.self)
        bodyLength = length
        bodyDigest = Array(footer[24..<Self.checkedFooterLength])
    }

    private static func digest(of bytes: ArraySlice<UInt8>) -> [UInt8] {
        var hash = SHA256()
        bytes.withUnsafeBytes { hash.update($0) }
        return hash.digest()
    }

    private static func littleEndian(_ value: UInt64, count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * UInt64($0))) }
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
}

/// The system calls that fail on a full device or must not be repeated, which tests replace.
package struct FileCalls: Sendable {
    /// Writes bytes to a descriptor; returns the number written, or the negated error number.
    package var write: @Sendable (CInt, UnsafeRawBufferPointer) -> Int

    package var close: @Sendable (CInt) -> Void = { _ = Glibc.close($0) }

    package init(write: @escaping @Sendable (CInt, UnsafeRawBufferPointer) -> Int) {
        self.write = write
    }

    package static let system = FileCalls { descriptor, bytes in
        let count = Glibc.write(descriptor, bytes.baseAddress, bytes.count)
        return count < 0 ? -Int(errno) : count
    }

    func writeAll(_ bytes: UnsafeRawBufferPointer, to descriptor: CInt) -> CInt {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = write(descriptor, UnsafeRawBufferPointer(rebasing: rest))
            if count == -Int(EINTR) { continue }
            guard count > 0 else { return count == 0 ? EIO : CInt(-count) }
            rest = rest.dropFirst(count)
        }
        return 0
    }
}
