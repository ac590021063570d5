// SPDX-License-Identifier: Apache-2.0

/// An answer that is written byte by byte past the encoder, which would correct it; then the connection is closed.
package enum RawAnswer: String, Hashable, Sendable, CaseIterable {
    case malformed
    case escapeHeader = "escape-header"
    /// Header fields without a space after their colons, which HTTP allows.
    case tightHeader = "tight-header"
    case trailer
    /// A status line whose reason phrase is empty, which HTTP allows.
    case noReason = "no-reason"
    /// Lines that end with a line feed alone, which HTTP lets a client accept.
    case bareLineFeed = "bare-lf"
    case noLength = "no-length"
    case noLengthReset = "no-length-reset"
    case cutHead = "cut-head"
    /// The first half of a body in gzip, without a length.
    case cutGzip = "cut-gzip"

    var status: Int? { self == .malformed ? nil : 200 }

    var isCut: Bool { [.malformed, .noLengthReset, .cutHead, .cutGzip].contains(self) }

    var resets: Bool { self == .noLengthReset }

    var bytes: [UInt8] {
        switch self {
        // No HTTP parser takes this for a status line.
        case .malformed: Array("\u{0}\u{1}\u{2}220 this is not HTTP\r\n\r\n".utf8)
        // A terminal or a report must neutralise these values.
        case .escapeHeader:
            Self.head(
                "200 \u{1B}[31mOK\u{1B}[0m", "Content-Type: text/plain; x=\"\u{1B}]0;title\u{7}\"",
                "X-Fault: \u{1B}[2J**bold** `code` | cell | [link](http://127.0.0.1/) <script>alert(1)</script>",
                "Content-Length: 3", "Connection: close") + Self.body
        case .tightHeader:
            Self.head("200 OK", "Content-Type:text/plain", "Content-Length:3", "Connection:close") + Self.body
        case .trailer:
            Self.head("200 OK", "Transfer-Encoding: chunked", "Trailer: X-Sum", "Connection: close")
                + "3\r\nok\n\r\n0\r\nX-Sum: 1\r\n\r\n".utf8
        case .noReason: Self.head("200 ", "Content-Length: 3", "Connection: close") + Self.body
        case .bareLineFeed: Array("HTTP/1.1 200 OK\nContent-Length: 3\nConnection: close\n\nok\n".utf8)
        case .noLength, .noLengthReset: Array("HTTP/1.0 200 OK\r\nContent-Type: text/plain\r\n\r\n".utf8) + Self.body
        case .cutHead: Array("HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Ty".utf8)
        case .cutGzip:
            Self.head("200 OK", "Content-Type: text/plain", "Content-Encoding: gzip", "Connection: close")
                + Self.halfOfGzip
        }
    }

    private static let body = Array("ok\n".utf8)

    private static func head(_ status: String, _ fields: String...) -> [UInt8] {
        Array((["HTTP/1.1 " + status] + fields + ["", ""]).joined(separator: "\r\n").utf8)
    }

    /// The beginning of 246 bytes of text in gzip.
    private static let halfOfGzip: [UInt8] = [
        0x1F, 0x8B, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0x55, 0x8E, 0x4B, 0x0E, 0x80, 0x20,
        0x0C, 0x44, 0xAF, 0xD2, 0xAB, 0x61, 0x2D, 0x42, 0x10, 0x31, 0x15, 0x16, 0xDC, 0xDE, 0x48, 0x87,
        0x04, 0x37, 0xFD, 0xBD, 0xC9, 0x4C, 0x39, 0xB4, 0x2B, 0xD1, 0x2D, 0x2E, 0xD1, 0xD6, 0xBC, 0x17,
        0xA5, 0xA7, 0xAA, 0xB8, 0x4C, 0x5E, 0x2A, 0x07, 0x03, 0x55,
    ]
}
