// SPDX-License-Identifier: Apache-2.0

import MemProbe
import NIOHTTP1

/// An answer that is wrong on purpose, for testing clients.
package enum Fault: Hashable, Sendable {
    /// The promised and the sent bytes of a body.
    package struct Part: Hashable, Sendable {
        package var promised: Int
        package var sent: Int

        package init(promised: Int, sent: Int) {
            self.promised = promised
            self.sent = sent
        }
    }

    /// An answer with this status and a short text.
    case status(Int)
    /// A chain of this many redirects that ends at `/bytes/1KiB`.
    case redirect(Int)
    case redirectLoop
    case empty
    /// Fewer bytes than promised, then a regular close.
    case short(Part)
    /// A part of the body, then nothing until the client disconnects.
    case stall(Part)
    /// A part of the body, then a reset of the connection.
    case reset(Part)
    /// A chunked body of 1 TiB.
    case endless
    /// No answer until the client disconnects.
    case silent
    /// An answer that is written byte by byte.
    case raw(RawAnswer)
    /// A header field of 1 MiB.
    case hugeHeader
    /// A text with the media type of a JPEG.
    case textImage
    /// The first 60 % of the baseline hero, with a matching `Content-Length`.
    case truncatedImage
    /// A small JPEG that claims 20000×20000 pixels.
    case bombImage

    package init(_ path: String, query: [String: String]) throws(Refusal) {
        let segments = path.split(separator: "/", omittingEmptySubsequences: false)
        if segments.count == 2, let number = Int(segments[1]) {
            self = try Self.numbered(String(segments[0]), number)
            return
        }
        switch path {
        case "redirect-loop": self = .redirectLoop
        case "empty": self = .empty
        case "short": self = .short(try Part(query))
        case "stall": self = .stall(try Part(query))
        case "reset": self = .reset(try Part(query))
        case "endless": self = .endless
        case "silent": self = .silent
        case "huge-header": self = .hugeHeader
        case "text.jpg": self = .textImage
        case "truncated.jpg": self = .truncatedImage
        case "bomb.jpg": self = .bombImage
        default:
            guard let answer = RawAnswer(rawValue: path) else {
                throw Refusal(.notFound, "unknown fault '\(path)'")
            }
            self = .raw(answer)
        }
    }

    private static func numbered(_ word: String, _ number: Int) throws(Refusal) -> Fault {
        switch word {
        case "status":
            // An informational status is not a final answer: the client would wait for another one.
            guard (200...599).contains(number) else {
                throw Refusal(.badRequest, "invalid status \(number): expected 200 to 599")
            }
            return .status(number)
        case "redirect":
            guard (1...1000).contains(number) else {
                throw Refusal(.badRequest, "\(number) redirects are not made; try 1 to 1000")
            }
            return .redirect(number)
        default:
            throw Refusal(.notFound, "unknown fault '\(word)/\(number)'")
        }
    }
}

extension Fault.Part {
    /// Parses `size` and `sent`, by default 64 KiB and 16 KiB.
    init(_ query: [String: String]) throws(Refusal) {
        guard let size = ByteCount(parsing: query["size"] ?? "64KiB"),
            let sent = ByteCount(parsing: query["sent"] ?? "16KiB"),
            sent < size, size.rawValue <= GeneratedBytes.maximumByteCount
        else {
            throw Refusal(.badRequest, "size and sent are sizes such as 64KiB and 16KiB, sent below size")
        }
        self.init(promised: size.rawValue, sent: sent.rawValue)
    }
}
