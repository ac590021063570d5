// SPDX-License-Identifier: Apache-2.0

/// The head of an answer of HTTP/1.1: as much of it as a reader needs.
package struct AnswerHead: Hashable {
    /// How many bytes one may have.
    static let longest = 16 * 1024

    package let status: Int
    /// The length of the body, or `nil` where it ends with the connection.
    package let length: Int?
    /// Whether the connection ends with the body.
    package let closes: Bool

    /// Where the body begins, or `nil` where more of the head has to come.
    package static func end(in bytes: [UInt8]) -> Int? {
        guard bytes.count >= 4 else { return nil }
        return (4...bytes.count).first { bytes[($0 - 4)..<$0].elementsEqual("\r\n\r\n".utf8) }
    }

    /// Reads a head with the empty line that ends it.
    package init(parsing bytes: [UInt8]) throws(ReaderFailure) {
        let lines = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline).map { $0.lowercased() }
        let words = (lines.first ?? "").split(separator: " ")
        guard words.count >= 2, words[0].hasPrefix("http/1."), let status = Int(words[1]) else {
            throw ReaderFailure("the answer does not begin with an HTTP/1 status line")
        }
        self.status = status
        let fields = lines.dropFirst().map { line in
            line.split(separator: ":", maxSplits: 1).map { $0.filter { $0 != " " && $0 != "\t" } }
        }
        let lengths = fields.filter { $0.first == "content-length" }
        length = lengths.first.flatMap { Int($0.last ?? "") }
        guard length.map({ $0 >= 0 }) ?? lengths.isEmpty else {
            throw ReaderFailure("the Content-Length is no number")
        }
        closes = length == nil || fields.contains(["connection", "close"])
    }
}
