// SPDX-License-Identifier: Apache-2.0

/// The head of a reader's request, of which only its end and the field `Connection` matter.
package struct RequestHead: Hashable {
    package static let longest = 1024

    /// True if the reader wants the connection closed after the response.
    package let closes: Bool

    /// Parses a head; `nil` if it is incomplete.
    package init?(parsing bytes: [UInt8]) throws(FetchFailure) {
        let text = String(decoding: bytes, as: UTF8.self)
        guard bytes.ends(with: "\r\n\r\n".utf8) else {
            guard bytes.count < Self.longest else {
                throw FetchFailure(.malformedResponse, "a reader's request has no end")
            }
            return nil
        }
        let lines = text.split(whereSeparator: \.isNewline).map { $0.lowercased() }
        guard lines.first?.hasPrefix("get /") == true else {
            throw FetchFailure(.malformedResponse, "a reader asks for something else than a body")
        }
        closes = lines.contains("connection: close")
    }
}
