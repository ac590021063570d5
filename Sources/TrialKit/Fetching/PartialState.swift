// SPDX-License-Identifier: Apache-2.0

import Glibc
import Hashing

/// The document beside a partial body that identifies the body.
///
/// It has five lines only, because the measured process writes it while the body arrives.
package struct PartialState: Hashable, Sendable {
    /// A hash that identifies the body, so that no URL is written anywhere.
    package let key: String
    package let validator: String
    /// The length of the whole body; `nil` if it is unknown.
    package let totalByteCount: Int?

    private static let firstLine = "fetchbench partial body 1"
    private static let lastLine = "end"

    package init(key: String, validator: String, totalByteCount: Int?) {
        self.key = key
        self.validator = validator
        self.totalByteCount = totalByteCount
    }

    /// Parses a document; `nil` if it is incomplete, or of another kind or version.
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

    /// Returns the key of a URL: its SHA-256.
    package static func key(of url: String) -> String {
        var url = url
        return url.withUTF8 { SHA256.hexadecimal(of: UnsafeRawBufferPointer($0)) }
    }

    package static func path(besides file: String) -> String { file + ".state" }

    /// Reads the document beside a file; `nil` if there is no valid one.
    package static func read(besides file: String) -> PartialState? {
        let descriptor = open(path(besides: file), O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        // Longer than any document: a larger file is invalid.
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = Glibc.read(descriptor, &bytes, bytes.count)
        guard count > 0, count < bytes.count else { return nil }
        return PartialState(parsing: String(decoding: bytes[..<count], as: UTF8.self))
    }

    /// Writes the document beside a file atomically.
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

    package static func remove(besides file: String) {
        unlink(path(besides: file))
    }
}
