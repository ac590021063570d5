// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A client of HTTP/1.1 on a socket: plain http, one connection a request, no redirects.
public struct TinyClient: Sendable {
    /// How many seconds it waits for a byte.
    public var timeoutSeconds: Int

    /// Creates a client.
    public init(timeoutSeconds: Int = 30) {
        self.timeoutSeconds = timeoutSeconds
    }

    /// Fetches a body, and hands it over piece by piece; a piece is lent for the duration of the call.
    public func stream(
        host: String, port: Int, target: String, _ take: (UnsafeRawBufferPointer) throws -> Void
    ) throws -> TinyAnswer {
        var reader = try asked(host: host, port: port, target: target)
        let answer = try reader.head()
        try reader.body(of: answer, take)
        return answer
    }

    /// Fetches a body into memory, whole.
    ///
    /// Never inlined, so that whoever asks who holds the body is told this name.
    @inline(never)
    public func load(host: String, port: Int, target: String) throws -> (answer: TinyAnswer, body: [UInt8]) {
        var reader = try asked(host: host, port: port, target: target)
        let answer = try reader.head()
        // Room for all of it at once: an array that doubles holds its old buffer beside the new one.
        var collector = BodyCollector(capacity: answer.length ?? 0)
        try reader.body(of: answer) { collector.append($0) }
        return (answer, collector.body)
    }

    /// Asks for a body, and is ready to read the answer.
    private func asked(host: String, port: Int, target: String) throws -> TinyReader {
        let socket = try TinySocket(host: host, port: port, timeoutSeconds: timeoutSeconds)
        try socket.send("GET \(target) HTTP/1.1\r\nHost: \(host):\(port)\r\nConnection: close\r\n\r\n")
        return TinyReader(socket)
    }
}

/// The head of a response.
public struct TinyAnswer: Hashable, Sendable {
    /// The status.
    public var status: Int
    /// The length of the body, where the server has told.
    public var length: Int?
}

/// The reason for a failed request.
public enum TinyError: Error, Hashable {
    /// The host cannot be found or connected to; the number is that of `errno`.
    case noConnection(CInt)
    /// The connection ended, or nothing came in time.
    case lost(CInt)
    /// The answer is not HTTP/1.1, or sent in a way that is not spoken here.
    case malformed
    /// The body is shorter than the server has said.
    case truncated
}
