// SPDX-License-Identifier: Apache-2.0

import Hashing

/// The trailer of an image's file, which describes the body and validates it.
///
/// It follows the body, so that a downloaded file becomes an entry by appending and a mapped image begins at a page.
/// The order is body, URL, entity tag, and a little-endian footer of 88 bytes: a magic word, the length of the body (8
/// bytes), of the URL (4) and of the tag (4), the SHA-256 of the body, and that of everything between the body and this
/// hash.
package struct EntryTrailer: Hashable, Sendable {
    static let footerLength = 88
    /// The maximum length of a URL or tag.
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
        self.bodyLength = bodyLength
        self.bodyDigest = bodyDigest
    }

    /// Returns the length of the trailer for this URL and tag, or `nil` if they are too long.
    static func length(url: String, entityTag: String?) -> Int? {
        let (address, tag) = (url.utf8.count, entityTag?.utf8.count ?? 0)
        return address <= longestText && tag <= longestText ? address + tag + footerLength : nil
    }

    /// The bytes that follow the body.
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

    /// Parses the bytes after a body; returns `nil` if they are damaged.
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
