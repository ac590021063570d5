// SPDX-License-Identifier: Apache-2.0

/// What the readers are told to do: a line of JSON.
package struct ReadersOrder: Codable, Hashable {
    /// The port of the server on 127.0.0.1.
    package var port: Int
    /// How many requests they make in all.
    package var requests: Int
    package var readers: Int
    /// How long the requests take in turn because of their reader, in milliseconds; empty where nobody is slow.
    package var paces: [Int]
    /// Whether each request has a connection of its own.
    package var closes = false
    /// The port of the origin on 127.0.0.1, to be asked for its connections; `nil` where it cannot be.
    package var origin: Int?

    package init(port: Int, requests: Int, readers: Int, paces: [Int]) {
        self.port = port
        self.requests = requests
        self.readers = readers
        self.paces = paces
    }
}

/// What the readers saw: a line of JSON.
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
    /// The median of the time from asking to the last byte.
    package var medianNanoseconds = 0
    /// The time that one of a hundred requests took longer than.
    package var slowestPercentNanoseconds = 0
    /// The first body.
    package var body: Body?
    /// The first body that differs from it.
    package var different: Body?
    /// The most descriptors that the server's process had open, as seen 20 times a second.
    package var mostDescriptors = 0
    /// The most that the TCP sockets of this machine held in the kernel, over what they held before.
    package var socketByteCount = 0
    /// How many connections the origin had accepted by then; `nil` where it was not asked.
    package var originConnections: Int?
    /// Why a reader gave up, without paths.
    package var failure: String?

    /// Creates the answer of readers that have seen nothing yet.
    package init() {}

    /// The body that all of them got, or `nil` where none came.
    /// - Throws: ``FetchFailure/Code/wrongBody`` where two differ, whichever of them came first.
    package func agreedBody() throws(FetchFailure) -> Body? {
        guard let body, let different else { return body }
        throw .unlike(body.words, different.words)
    }
}
