// SPDX-License-Identifier: Apache-2.0

package import MemProbe
package import NIOHTTP1
package import Runs

/// What the origin does about a request.
package enum Answer: Sendable {
    case response(ResponsePlan)
    /// It writes these bytes as they are, which may have a status, and closes the connection.
    case raw([UInt8], status: Int?)
    /// It says nothing and keeps the connection.
    case silence
}

/// A response: decided before a byte of it is sent.
package struct ResponsePlan: Sendable {
    package struct Content: Sendable {
        /// Where the bytes are.
        package var source: any BodySource
        package var range: Range<Int>
        /// Whether they are sent in the gzip format.
        package var isCompressed = false
        /// After how many bytes of what is sent no more is sent, or `nil` for never.
        package var limit: Int?
        package var endingAtLimit = Ending.close

        /// What makes the bytes of a body whose length only its end tells, or `nil` where they are the source's.
        package var stream: (@Sendable () -> any BodyReader)?

        /// Creates the content of a body whose length only its end tells.
        package init(_ stream: @escaping @Sendable () -> any BodyReader) {
            self.init(MemoryBytes([]), 0..<0)
            self.stream = stream
        }

        /// Creates the content of these bytes.
        package init(_ source: any BodySource, _ range: Range<Int>) {
            self.source = source
            self.range = range
        }
    }

    /// What happens after the last byte.
    package enum Ending: Hashable, Sendable {
        case complete
        /// The connection is closed, the response incomplete.
        case close
        /// Nothing happens any more.
        case stall
        case reset
    }

    package var status: HTTPResponseStatus
    /// The header fields, those of the framing included.
    package var headers: HTTPHeaders
    /// The bytes that are sent, or `nil` for a response that has none.
    package var content: Content?
    /// How fast they are sent.
    package var rate: TransferRate
    package var ending: Ending
    /// Whether the bytes are counted: those of the count itself are not.
    package var isCounted = true
    /// How long the head waits.
    package var delayMilliseconds = 0

    package init(
        status: HTTPResponseStatus, headers: HTTPHeaders = [:], content: Content? = nil,
        rate: TransferRate = .unlimited, ending: Ending = .complete
    ) {
        self.status = status
        self.headers = headers
        self.content = content
        self.rate = rate
        self.ending = ending
    }

    /// The response that keeps its promises up to a size of its body and is closed then.
    package func cut(after size: ByteCount?) -> ResponsePlan {
        var plan = self
        plan.content?.limit = size?.rawValue
        return plan
    }

    /// The response that keeps its promises up to a size of its body, and its connection without another byte.
    package func stalled(after size: ByteCount?) -> ResponsePlan {
        guard let size else { return self }
        var plan = cut(after: size)
        plan.content?.endingAtLimit = .stall
        return plan
    }

    /// A response of a few bytes that is not paced.
    package static func small(
        _ status: HTTPResponseStatus, type: String, _ bytes: [UInt8], headers: HTTPHeaders = [:]
    ) -> ResponsePlan {
        var headers = headers
        headers.add(name: "Content-Type", value: type)
        headers.add(name: "Content-Length", value: "\(bytes.count)")
        return ResponsePlan(
            status: status, headers: headers, content: Content(MemoryBytes(bytes), 0..<bytes.count))
    }

    /// A short text, ended by a newline.
    package static func text(
        _ status: HTTPResponseStatus, _ text: String, headers: HTTPHeaders = [:]
    ) -> ResponsePlan {
        small(status, type: "text/plain; charset=utf-8", Array((text + "\n").utf8), headers: headers)
    }
}
