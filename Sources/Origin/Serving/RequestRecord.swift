// SPDX-License-Identifier: Apache-2.0

package import MemProbe

package struct RequestRecord: Codable, Hashable, Sendable {
    package enum Ending: String, Codable, Hashable, Sendable {
        case complete
        /// The origin ended the answer early: a fault, a cut, or a stop.
        case cut
        /// The client disconnected first.
        case abandoned
    }

    /// The position in the order in which the heads were read, from 1.
    package var number: Int

    /// The number of its connection, from 1, in the order of their first requests.
    package var connection: Int

    package var method: String

    /// The decoded path without the query, or the target as it arrived if it is not a path.
    package var path: String

    /// The decoded query, with the first value of each repeated name.
    package var query: [String: String]

    /// The header fields: lower-case names, repeated values joined by `, `, secrets replaced by `…`.
    package var headers: [String: String]

    /// The version of HTTP: `1.0`, `1.1` or `2`.
    package var http: String

    package var status: Int?

    /// The time at which the head was read, on `CLOCK_MONOTONIC`, in nanoseconds.
    package var beganNanoseconds: Int

    /// The time at which the answer ended, or `nil` while it is under way.
    package var endedNanoseconds: Int?

    /// The bytes of the answer's body taken by the kernel, without headers and chunk framing.
    package var bytesSent: ByteCount

    package var bytesReceived: ByteCount

    package var ending: Ending?

    package init(
        number: Int, connection: Int, method: String, path: String, query: [String: String] = [:],
        headers: [String: String] = [:], http: String = "1.1", status: Int? = nil, beganNanoseconds: Int,
        endedNanoseconds: Int? = nil,
        bytesSent: ByteCount = .zero, bytesReceived: ByteCount = .zero, ending: Ending? = nil
    ) {
        self.number = number
        self.connection = connection
        self.method = method
        self.path = path
        self.query = query
        self.headers = headers
        self.http = http
        self.status = status
        self.beganNanoseconds = beganNanoseconds
        self.endedNanoseconds = endedNanoseconds
        self.bytesSent = bytesSent
        self.bytesReceived = bytesReceived
        self.ending = ending
    }

    private enum CodingKeys: String, CodingKey {
        case number, connection, method, path, query, headers, http, status, ending
        case beganNanoseconds = "began_nanoseconds"
        case endedNanoseconds = "ended_nanoseconds"
        case bytesSent = "bytes_sent"
        case bytesReceived = "bytes_received"
    }
}
