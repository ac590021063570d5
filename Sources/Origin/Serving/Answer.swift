// SPDX-License-Identifier: Apache-2.0

package import MemProbe
package import NIOHTTP1
package import Runs

package enum Answer: Sendable {
    case response(ResponsePlan)
    /// Writes bytes past the encoder and closes the connection.
    case raw(RawAnswer)
    /// Sends nothing and keeps the connection open.
    case silence
}

/// A response, decided before a byte of it is sent.
package struct ResponsePlan: Sendable {
    package struct Content: Sendable {
        package var source: any BodySource
        package var range: Range<Int>
        package var isCompressed = false
        /// The number of sent bytes after which sending ends, or `nil` for no limit.
        package var limit: Int?
        package var endingAtLimit = Ending.close

        /// Makes the bytes of a body of unknown length, or `nil` if `source` has them.
        package var stream: (@Sendable () -> any BodyReader)?

        /// Creates the content of a body of unknown length.
        package init(_ stream: @escaping @Sendable () -> any BodyReader) {
            self.init(MemoryBytes([]), 0..<0)
            self.stream = stream
        }

        package init(_ source: any BodySource, _ range: Range<Int>) {
            self.source = source
            self.range = range
        }
    }

    /// The end of a response, after its last byte.
    package enum Ending: Hashable, Sendable {
        case complete
        /// The connection is closed before the response is complete.
        case close
        /// Nothing more is sent; the connection stays open.
        case stall
        case reset
    }

    package var status: HTTPResponseStatus
    package var headers: HTTPHeaders = [:]
    package var content: Content?
    package var rate = TransferRate.unlimited
    package var ending = Ending.complete
    /// False for the counts of the origin itself.
    package var isCounted = true
    package var delayMilliseconds = 0

    /// Returns the same response, ended after `size` bytes of its body by closing the connection.
    package func cut(after size: ByteCount?) -> ResponsePlan {
        var plan = self
        plan.content?.limit = size?.rawValue
        return plan
    }

    /// Returns the same response, stalled after `size` bytes of its body with the connection left open.
    package func stalled(after size: ByteCount?) -> ResponsePlan {
        guard let size else { return self }
        var plan = cut(after: size)
        plan.content?.endingAtLimit = .stall
        return plan
    }

    /// A response of a few bytes, sent without pacing.
    package static func small(
        _ status: HTTPResponseStatus, type: String, _ bytes: [UInt8], headers: HTTPHeaders = [:]
    ) -> ResponsePlan {
        var headers = headers
        headers.add(name: "Content-Type", value: type)
        headers.add(name: "Content-Length", value: "\(bytes.count)")
        return ResponsePlan(
            status: status, headers: headers, content: Content(MemoryBytes(bytes), 0..<bytes.count))
    }

    package static func text(
        _ status: HTTPResponseStatus, _ text: String, headers: HTTPHeaders = [:]
    ) -> ResponsePlan {
        small(status, type: "text/plain; charset=utf-8", Array((text + "\n").utf8), headers: headers)
    }
}
