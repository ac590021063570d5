// SPDX-License-Identifier: Apache-2.0

/// The head of an HTTP/1.1 response, as far as fetching a body needs it.
package struct ResponseHead: Hashable {
    /// The framing of a body.
    package enum Framing: Hashable {
        case length(Int)
        /// Chunks, the last of which is empty.
        case chunked
        case close
    }

    package let status: Int
    /// The header fields, with names in lower case.
    package let fields: [(name: String, value: String)]

    package static func == (left: ResponseHead, right: ResponseHead) -> Bool {
        left.status == right.status && left.fields.elementsEqual(right.fields) { $0 == $1 }
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(status)
    }

    /// Parses a head, without the empty line that ends it.
    package init(parsing text: String) throws(FetchFailure) {
        // "\r\n" is one Character in Swift, so lines are split on scalars' own terms.
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        let words = (lines.first ?? "").split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
        guard words.count >= 2, words[0].hasPrefix("HTTP/1."), words[1].count == 3,
            words[1].allSatisfy({ ("0"..."9").contains($0) }), let status = Int(words[1])
        else {
            throw FetchFailure(.malformedResponse, "the answer does not begin with an HTTP/1 status line")
        }
        var fields: [(name: String, value: String)] = []
        for line in lines.dropFirst() where !line.isEmpty {
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, !parts[0].isEmpty else {
                throw FetchFailure(.malformedResponse, "a header line has no colon")
            }
            fields.append((parts[0].lowercased(), Self.trimmed(parts[1])))
        }
        self.status = status
        self.fields = fields
    }

    package func value(of name: String) -> String? {
        fields.first { $0.name == name }?.value
    }

    /// The framing of the body of this response to a request other than `HEAD` and `CONNECT`: RFC 9112, section 6.3.
    package func framing() throws(FetchFailure) -> Framing {
        // These have no body, whatever their fields say.
        if (100..<200).contains(status) || status == 204 || status == 304 { return .length(0) }
        if let encoding = value(of: "transfer-encoding") {
            guard encoding.lowercased() == "chunked" else {
                throw FetchFailure(.malformedResponse, "this transfer encoding is not spoken here")
            }
            return .chunked
        }
        let lengths = Set(fields.filter { $0.name == "content-length" }.map(\.value))
        guard let text = lengths.first else { return .close }
        guard lengths.count == 1, text.allSatisfy({ ("0"..."9").contains($0) }), let length = Int(text) else {
            throw FetchFailure(.malformedResponse, "the Content-Length is invalid")
        }
        return .length(length)
    }

    private static func trimmed(_ text: Substring) -> String {
        let front = text.drop { $0 == " " || $0 == "\t" }
        return String(front.reversed().drop { $0 == " " || $0 == "\t" }.reversed())
    }
}
