// SPDX-License-Identifier: Apache-2.0

/// An order for the readers: a line of JSON.
package struct ReadersOrder: Codable, Hashable {
    /// The port of the server on 127.0.0.1.
    package var port: Int
    package var requests: Int
    package var readers: Int
    /// The times that the readers add to the requests in turn, in milliseconds; empty for none.
    package var paces: [Int]
    /// True if each request has its own connection.
    package var closes = false
    /// The port of the origin on 127.0.0.1, to query its connections; `nil` if that is impossible.
    package var origin: Int?

    package init(port: Int, requests: Int, readers: Int, paces: [Int]) {
        self.port = port
        self.requests = requests
        self.readers = readers
        self.paces = paces
    }
}

/// The readers' observations: a line of JSON.
package struct ReadersAnswer: Codable, Hashable {
    package struct Body: Codable, Hashable {
        package var byteCount: Int
        package var sha256: String

        package init(byteCount: Int, sha256: String) {
            self.byteCount = byteCount
            self.sha256 = sha256
        }

        fileprivate var words: String { FetchFailure.words(byteCount: byteCount, sha256: sha256) }
    }

    package var requests = 0
    /// The median time from the request to the last byte.
    package var medianNanoseconds = 0
    /// The 99th percentile of that time.
    package var slowestPercentNanoseconds = 0
    package var body: Body?
    /// The first body that differs from the first one.
    package var different: Body?
    /// The largest number of descriptors open in the server's process, sampled 20 times a second.
    package var mostDescriptors = 0
    /// The most kernel memory of this machine's TCP sockets, minus that at the start.
    package var socketByteCount = 0
    /// The connections that the origin had accepted by then; `nil` if it was not queried.
    package var originConnections: Int?
    package var failure: String?

    package init() {}

    /// Returns the body that all of them received, or `nil` for none.
    /// - Throws: ``FetchFailure/Code/wrongBody`` if two differ.
    package func agreedBody() throws(FetchFailure) -> Body? {
        guard let body, let different else { return body }
        throw .unlike(body.words, different.words)
    }
}
