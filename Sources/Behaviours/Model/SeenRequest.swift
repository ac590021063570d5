// SPDX-License-Identifier: Apache-2.0

/// A request as the origin saw it.
package struct SeenRequest: Codable, Hashable, Sendable {
    /// How the answer to a request ended.
    package enum End: String, Codable, Hashable, Sendable {
        /// All of it was sent.
        case complete
        /// The origin broke it off, on purpose.
        case cut
        /// The client left before the end.
        case abandoned
    }

    /// The number of its connection, in the order in which they were accepted.
    package var connection: Int
    /// The method.
    package var method: String
    /// The path without the query.
    package var path: String
    /// The query.
    package var query: [String: String]
    /// The header fields, their names in lower case.
    package var headers: [String: String]
    /// The status of the answer, or `nil` where there was none.
    package var status: Int?
    /// When it was read, in nanoseconds of the monotonic clock.
    package var began: Int
    /// When the answer ended or the client left, or `nil` where neither had happened.
    package var ended: Int?
    /// How many bytes of the body the origin's kernel took.
    package var bytesSent: Int
    /// How the answer ended, or `nil` where it had not.
    package var end: End?

    /// Creates a request.
    package init(
        connection: Int = 1, method: String = "GET", path: String = "/bytes/1KiB", query: [String: String] = [:],
        headers: [String: String] = [:], status: Int? = 200, began: Int = 0, ended: Int? = 1, bytesSent: Int = 1024,
        end: End? = .complete
    ) {
        self.connection = connection
        self.method = method
        self.path = path
        self.query = query
        self.headers = headers
        self.status = status
        self.began = began
        self.ended = ended
        self.bytesSent = bytesSent
        self.end = end
    }
}

extension SeenRequest {
    /// How long the client stayed, in seconds, or `nil` where it had not left.
    package var seconds: Double? {
        ended.map { Double($0 - began) / 1e9 }
    }
}
