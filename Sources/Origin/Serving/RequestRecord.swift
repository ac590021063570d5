// SPDX-License-Identifier: Apache-2.0

package import MemProbe

/// What one request asked for, and what became of it, as the origin saw it.
package struct RequestRecord: Codable, Hashable, Sendable {
    package enum Ending: String, Codable, Hashable, Sendable {
        /// The kernel took all of it.
        case complete
        /// The origin ended it early: a fault, a cut, or the origin was stopped.
        case cut
        /// The client left first.
        case abandoned
    }

    /// Its place in the order in which the heads were read, from 1.
    package var number: Int

    /// The number of its connection, from 1, in the order of their first requests.
    package var connection: Int

    package var method: String

    /// The decoded path, without the query; a target that is no path as it arrived.
    package var path: String

    /// The decoded query; of a name that occurs twice, the first value.
    package var query: [String: String]

    /// The header fields: names in lower case, repeated values joined by `, `, secrets replaced by `…`.
    package var headers: [String: String]

    /// The status of the answer, or `nil` where none was sent.
    package var status: Int?

    /// When the head was read, on the clock `CLOCK_MONOTONIC`, in nanoseconds.
    package var beganNanoseconds: Int

    /// When the answer was complete or the connection gone, or `nil` while it is under way.
    package var endedNanoseconds: Int?

    /// The bytes of the answer's body that the kernel has taken, without headers and chunk framing.
    package var bytesSent: ByteCount

    /// The bytes of the request's body.
    package var bytesReceived: ByteCount

    /// How the answer ended, or `nil` while it is under way.
    package var ending: Ending?

    /// Creates a record; a request that has just begun unless its end is given.
    package init(
        number: Int, connection: Int, method: String, path: String, query: [String: String] = [:],
        headers: [String: String] = [:], status: Int? = nil, beganNanoseconds: Int, endedNanoseconds: Int? = nil,
        bytesSent: ByteCount = .zero, bytesReceived: ByteCount = .zero, ending: Ending? = nil
    ) {
        self.number = number
        self.connection = connection
        self.method = method
        self.path = path
        self.query = query
        self.headers = headers
        self.status = status
        self.beganNanoseconds = beganNanoseconds
        self.endedNanoseconds = endedNanoseconds
        self.bytesSent = bytesSent
        self.bytesReceived = bytesReceived
        self.ending = ending
    }

    private enum CodingKeys: String, CodingKey {
        case number
        case connection
        case method
        case path
        case query
        case headers
        case status
        case beganNanoseconds = "began_nanoseconds"
        case endedNanoseconds = "ended_nanoseconds"
        case bytesSent = "bytes_sent"
        case bytesReceived = "bytes_received"
        case ending
    }
}
