// SPDX-License-Identifier: Apache-2.0

import NIOHTTP1
package import Runs

/// The way a body is sent: the part of the query that does not determine the bytes.
package struct Delivery: Hashable, Sendable {
    package enum Encoding: String, Hashable, Sendable {
        case length
        case chunked
        /// In `Content-Encoding: gzip` and in chunks, because the length is unknown.
        case gzip
    }

    package var rate: TransferRate
    package var encoding: Encoding
    /// The bytes of a body in each HTTP chunk; `nil` for a chunk for each write.
    package var chunk: ByteCount?
    /// The seconds of `Cache-Control: max-age`, or `nil` to omit it.
    package var cacheSeconds: Int?
    /// True if the encoding depends on what the client accepts.
    package var isNegotiated = false
    package var hasRanges = true
    /// The number of requests after which the body changes, or `nil` for a constant one.
    package var changesAfter: Int?
    /// The bytes after which an answer to a request for the whole body is cut off.
    package var cut: ByteCount?
    /// The bytes after which an answer to a request for the whole body stalls until the client disconnects.
    package var stall: ByteCount?
    package var delayMilliseconds = 0

    package init(rate: TransferRate, encoding: Encoding = .length, isNegotiated: Bool = false) {
        (self.rate, self.encoding, self.isNegotiated) = (rate, encoding, isNegotiated)
    }

    package init(_ request: OriginRequest, standard: TransferRate) throws(Refusal) {
        rate = standard
        let wanted = try Self.wantedEncoding(request)
        encoding = request.allows(wanted) ? wanted : .length
        isNegotiated = wanted == .gzip
        chunk = try Self.size("chunk", request, "of a chunk")
        if let chunk, chunk == .zero || wanted != .chunked {
            throw Refusal(.badRequest, "chunk is a size from 1 byte on, of a body with encoding=chunked")
        }
        if let text = request.query["rate"] {
            guard let rate = TransferRate(parsing: text) else {
                throw Refusal(
                    .badRequest, "invalid rate '\(text)': expected a size such as 60MiB or shared:1MiB, or unlimited")
            }
            self.rate = rate
        }
        if let text = request.query["ranges"] {
            guard text == "none" else { throw Refusal(.badRequest, "invalid ranges '\(text)': expected none") }
            hasRanges = false
        }
        cut = try Self.size("cut", request, "to cut at")
        stall = try Self.size("stall", request, "to stall at")
        if cut != nil, stall != nil {
            throw Refusal(.badRequest, "a body is cut or stalls; give cut or stall")
        }
        cacheSeconds = try Self.number("cache", request, upTo: Int(Int32.max))
        changesAfter = try Self.number("changes-after", request, upTo: Int(Int32.max))
        delayMilliseconds = try Self.number("delay", request, upTo: 60_000) ?? 0
    }

    private static func wantedEncoding(_ request: OriginRequest) throws(Refusal) -> Encoding {
        guard let text = request.query["encoding"] else { return .length }
        guard let encoding = Encoding(rawValue: text) else {
            throw Refusal(.badRequest, "invalid encoding '\(text)': expected length, chunked or gzip")
        }
        return encoding
    }

    private static func size(_ name: String, _ request: OriginRequest, _ use: String) throws(Refusal) -> ByteCount? {
        guard let text = request.query[name] else { return nil }
        guard let size = ByteCount(parsing: text) else {
            throw Refusal(.badRequest, "invalid size '\(text)' \(use): expected a size such as 10MiB")
        }
        return size
    }

    /// A whole number of the query, of digits only: `Int` would accept a sign too.
    private static func number(_ name: String, _ request: OriginRequest, upTo limit: Int) throws(Refusal) -> Int? {
        guard let text = request.query[name] else { return nil }
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(text), number <= limit else {
            throw Refusal(.badRequest, "invalid \(name)='\(text)': expected a whole number from 0 to \(limit)")
        }
        return number
    }
}

extension OriginRequest {
    fileprivate func allows(_ encoding: Delivery.Encoding) -> Bool {
        switch encoding {
        case .length: true
        // An answer to HEAD has no body whose end a last chunk could mark.
        case .chunked: understandsChunked && method != .HEAD
        case .gzip: understandsChunked && method != .HEAD && AcceptedEncodings(headers["Accept-Encoding"]).allowsGzip
        }
    }
}
