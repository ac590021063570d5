// SPDX-License-Identifier: Apache-2.0

import Glibc
import Hashing

/// The document beside a part of a body that says what it is a part of.
///
/// Five lines of text and no more: it is written in the measured process, while the body arrives.
package struct PartialState: Hashable, Sendable {
    /// What the body is, in the words of whoever asked for it: a hash, so that no URL is written anywhere.
    package let key: String
    /// What names its version.
    package let validator: String
    /// Its length, or `nil` where the origin did not tell.
    package let totalByteCount: Int?

    private static let firstLine = "fetchbench partial body 1"
    private static let lastLine = "end"

    package init(key: String, validator: String, totalByteCount: Int?) {
        self.key = key
        self.validator = validator
        self.totalByteCount = totalByteCount
    }

    /// Reads a document; `nil` of one that is torn, of another kind or of another version.
    package init?(parsing text: String) {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.count == 6, lines[0] == Self.firstLine, lines[4] == Self.lastLine, lines[5].isEmpty,
            !lines[1].isEmpty, !lines[2].isEmpty
        else { return nil }
        let total = Int(lines[3])
        guard lines[3] == "-" || (total ?? -1) >= 0 else { return nil }
        self.init(key: String(lines[1]), validator: String(lines[2]), totalByteCount: total)
    }

    package var text: String {
        [Self.firstLine, key, validator, totalByteCount.map(String.init) ?? "-", Self.lastLine, ""]
            .joined(separator: "\n")
    }

    /// The key of a URL: its SHA-256.
    package static func key(of url: String) -> String {
        var hasher = SHA256()
        var url = url
        url.withUTF8 { hasher.update(UnsafeRawBufferPointer($0)) }
        return hasher.hexadecimal()
    }

    /// Where the document of a file is.
    package static func path(besides file: String) -> String { file + ".state" }

    /// What stands beside a file, or `nil` where nothing does that is of use.
    package static func read(besides file: String) -> PartialState? {
        let descriptor = open(path(besides: file), O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        // Longer than every document: what does not end in it is none.
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = Glibc.read(descriptor, &bytes, bytes.count)
        guard count > 0, count < bytes.count else { return nil }
        return PartialState(parsing: String(decoding: bytes[..<count], as: UTF8.self))
    }

    /// Writes the document beside a file: whole, or not at all.
    package func write(besides file: String) throws(FetchFailure) {
        let temporary = Self.path(besides: file) + ".new"
        let text = text
        let written = try BodyFile(creating: temporary)
        try Array(text.utf8).withUnsafeBytes { bytes in
            Result { () throws(FetchFailure) in try written.write(bytes) }
        }.get()
        guard rename(temporary, Self.path(besides: file)) == 0 else {
            throw FetchFailure(errno: errno, "the state of a part cannot be put in its place")
        }
    }

    /// Removes the document, where there is one.
    package static func remove(besides file: String) {
        unlink(path(besides: file))
    }
}
