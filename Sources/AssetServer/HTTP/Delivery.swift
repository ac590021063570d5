// SPDX-License-Identifier: Apache-2.0

import NIOHTTP1

/// How the body is sent: the part of the query that does not choose the bytes.
package struct Delivery: Hashable, Sendable {
    /// How fast.
    package var rate: TransferRate
    /// Whether in `Transfer-Encoding: chunked` instead of with a `Content-Length`.
    package var isChunked: Bool

    /// Creates a delivery.
    package init(rate: TransferRate, isChunked: Bool = false) {
        self.rate = rate
        self.isChunked = isChunked
    }

    /// Reads `rate` and `encoding`.
    package init(_ request: OriginRequest, standard: TransferRate) throws(Refusal) {
        rate = standard
        if let text = request.query["rate"] {
            guard let rate = TransferRate(parsing: text) else {
                throw Refusal(.badRequest, "'\(text)' is no rate; try unlimited or 60MiB")
            }
            self.rate = rate
        }
        guard let encoding = request.query["encoding"] else {
            isChunked = false
            return
        }
        guard encoding == "chunked" else {
            throw Refusal(.badRequest, "'\(encoding)' is no encoding of a transfer; try chunked")
        }
        // The answer to HEAD has no body whose end a last chunk could mark.
        isChunked = request.understandsChunked && request.method != .HEAD
    }
}
