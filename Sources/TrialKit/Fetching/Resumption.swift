// SPDX-License-Identifier: Apache-2.0

import Glibc
import Hashing

/// The state of a partial body that a request resumes.
///
/// While its body arrives, the request keeps a small document beside its destination with the version of the body. Both
/// files stay however the fetch or its process ends.
public struct Resumption: Hashable, Sendable {
    /// The number of bytes that exist; 0 requests the whole body.
    public var offset: Int

    /// The strong validator of their version for `If-Range`; `nil` if it is unknown.
    public var validator: String?

    /// The key of the body in the document; a document with another key belongs to another body.
    public var key: String

    /// Creates the state.
    public init(offset: Int, validator: String?, key: String) {
        (self.offset, self.validator, self.key) = (offset, validator, key)
    }
}

/// An origin's description of a body.
public struct BodyEntity: Hashable, Sendable {
    /// The validator of the version: a strong `ETag` or else a strong `Last-Modified`; `nil` without either, so that
    /// the body cannot be resumed.
    public var validator: String?
    /// The length of the whole body in bytes; `nil` if it is unknown.
    public var totalByteCount: Int?
    /// The offset that the response begins at; 0 for the whole body.
    public var offset: Int

    /// Creates a description.
    public init(validator: String?, totalByteCount: Int?, offset: Int) {
        (self.validator, self.totalByteCount, self.offset) = (validator, totalByteCount, offset)
    }
}

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
        (self.key, self.validator, self.totalByteCount) = (key, validator, totalByteCount)
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

    package static func remove(besides file: String) { unlink(path(besides: file)) }
}

/// The part of a body in a response: the field `Content-Range`, RFC 9110, section 14.4.
public struct ContentRange: Hashable, Sendable {
    /// The first byte of the part.
    public let first: Int
    /// The last byte of the part.
    public let last: Int
    /// The length of the whole body; `nil` if it is unknown.
    public let total: Int?

    /// Parses `bytes 5-9/10` or `bytes 5-9/*`; `nil` for anything else.
    public init?(parsing text: String) {
        let words = text.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
        guard words.count == 2, words[0].lowercased() == "bytes" else { return nil }
        let parts = words[1].split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        let bounds = parts[0].split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        guard bounds.count == 2, let first = Self.number(bounds[0]), let last = Self.number(bounds[1]), first <= last
        else { return nil }
        total = parts[1] == "*" ? nil : Self.number(parts[1])
        if parts[1] != "*" {
            guard let total, last < total else { return nil }
        }
        (self.first, self.last) = (first, last)
    }

    /// Accepts digits only, because `Int` would take a sign as well.
    private static func number(_ text: Substring) -> Int? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int(text)
    }
}
