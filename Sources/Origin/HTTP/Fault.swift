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
            (self.promised, self.sent) = (promised, sent)
        }
    }

    case status(Int)
    /// A chain of this many redirects that ends at `/bytes/1KiB`.
    case redirect(Int)
    case redirectLoop
    /// A redirect to `/bytes/1KiB` that has a body of its own, of so many MiB.
    case redirectBody(mebibytes: Int)
    case headers(Int)
    case cookies(Int)
    case empty
    /// Fewer bytes than promised, then a regular close.
    case short(Part)
    /// A part of the body, then nothing until the client disconnects.
    case stall(Part)
    case reset(Part)
    case endless
    /// No answer until the client disconnects.
    case silent
    case raw(RawAnswer)
    /// A header field of 1 MiB.
    case hugeHeader
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
        case "redirect-body" where (1...64).contains(number): return .redirectBody(mebibytes: number)
        case "headers" where (1...100_000).contains(number): return .headers(number)
        case "cookies" where (1...100_000).contains(number): return .cookies(number)
        default: throw Refusal(.notFound, "unknown fault '\(word)/\(number)'")
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

/// A progressive JPEG of 2 KiB that claims 20000×20000 pixels.
///
/// Its header is valid, so a decoder that allocates before it checks limits needs more than a gigabyte. The segments
/// are those of ITU-T T.81, annex B.
package enum BombImage {
    package static let side = 20_000

    package static let byteCount = 2048

    package static let bytes: [UInt8] = {
        var bytes = marker(0xD8) + application + quantization + frame + huffman + scan
        // A zero bit is the code of category 0 here: every difference is 0, at one bit per block.
        bytes += [UInt8](repeating: 0, count: byteCount - bytes.count - 2)
        return bytes + marker(0xD9)
    }()

    private static func marker(_ code: UInt8) -> [UInt8] { [0xFF, code] }

    private static func segment(_ code: UInt8, _ content: [UInt8]) -> [UInt8] {
        marker(code) + word(content.count + 2) + content
    }

    private static func word(_ value: Int) -> [UInt8] { [UInt8(value >> 8 & 0xFF), UInt8(value & 0xFF)] }

    private static let application = segment(0xE0, Array("JFIF".utf8) + [0, 1, 1, 0, 0, 1, 0, 1, 0, 0])

    /// DQT: one table of ones.
    private static let quantization = segment(0xDB, [0] + [UInt8](repeating: 1, count: 64))

    /// SOF2: progressive, 8 bits, three components of which the first is sampled 2×2.
    private static let frame = segment(
        0xC2, [8] + word(side) + word(side) + [3, 1, 0x22, 0, 2, 0x11, 0, 3, 0x11, 0])

    /// DHT: a DC table with one code of one bit, for category 0.
    private static let huffman = segment(0xC4, [0, 1] + [UInt8](repeating: 0, count: 15) + [0])

    /// SOS: the first scan of a progressive file, DC of all components.
    private static let scan = segment(0xDA, [3, 1, 0, 2, 0, 3, 0, 0, 0, 0])
}
