// SPDX-License-Identifier: Apache-2.0

import Glibc
import Hashing

/// A client on a blocking socket that reads a body at a given pace and keeps none of it.
struct ReaderClient {
    /// The kernel's buffer for a reader that does not read; the kernel doubles it for its own use.
    private static let receiveBufferByteCount: Int32 = 32 * 1024
    private static let pieceSize = 16 * 1024
    /// The number of parts of a body, with a pause before each.
    private static let partCount = 8
    /// The size of a part if the length of the body is unknown.
    private static let usualPartSize = 32 * 1024

    private let socket: TCPSocket

    init(port: Int) throws(FetchFailure) {
        socket = try TCPSocket(
            host: "127.0.0.1", port: port, idleTimeoutSeconds: 0,
            receiveBufferByteCount: Self.receiveBufferByteCount)
    }

    /// Requests the body and reads it to its end, which comes early for a truncated one.
    /// - Parameters:
    ///   - milliseconds: The sum of the pauses.
    ///   - closes: True if the connection has to end with the body.
    /// - Returns: The body, and `true` if the connection can be used again.
    func body(milliseconds: Int, closes: Bool) throws(FetchFailure) -> (ReadersAnswer.Body, isOpen: Bool) {
        var (reader, head) = try answer(of: "/body", closes: closes)
        let length: Int? = if case .length(let length) = try head.framing() { length } else { nil }
        var hash = SHA256()
        var received = 0
        var pauses = Pauses(milliseconds, partSize: length.map { $0 / Self.partCount } ?? Self.usualPartSize)
        while received < length ?? .max {
            pauses.pause(after: received)
            let rest = min((length ?? .max) - received, pauses.next(after: received))
            let count = try piece(of: &reader, upTo: rest, for: &hash)
            if count == 0 { return (ReadersAnswer.Body(byteCount: received, sha256: hash.hexadecimal()), false) }
            received += count
        }
        // For the parts that a short body does not have.
        pauses.pause(after: .max)
        let isOpen = !closes && head.value(of: "connection")?.lowercased() != "close"
        return (ReadersAnswer.Body(byteCount: received, sha256: hash.hexadecimal()), isOpen)
    }

    func document(at path: String) throws(FetchFailure) -> [UInt8] {
        var (reader, head) = try answer(of: path, closes: true)
        var bytes: [UInt8] = []
        _ = try reader.readBody(framedBy: try head.framing()) { piece throws(FetchFailure) in bytes += piece }
        return bytes
    }

    private func answer(of path: String, closes: Bool) throws(FetchFailure) -> (HTTPReader, ResponseHead) {
        let connection = closes ? "close" : "keep-alive"
        try socket.send("GET \(path) HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: \(connection)\r\n\r\n")
        var reader = HTTPReader(socket: socket, buffer: RawBuffer(byteCount: Self.pieceSize))
        let head = try reader.readHead()
        guard head.status == 200 else {
            throw FetchFailure(.httpStatus, "the server answered with status \(head.status)")
        }
        return (reader, head)
    }

    /// Reads the next piece of a body and returns its length; 0 at the end.
    private func piece(
        of reader: inout HTTPReader, upTo limit: Int, for hash: inout SHA256
    ) throws(FetchFailure) -> Int {
        do throws(FetchFailure) {
            return try reader.readSome(upTo: limit, keepsRest: true) { piece throws(FetchFailure) in
                hash.update(piece)
            }
        } catch {
            // A truncated body ends here: its length and its hash will tell.
            guard error.code == .connectionLost else { throw error }
            return 0
        }
    }

    private struct Pauses {
        private let microseconds: UInt32
        private let partSize: Int
        private var done = 0

        init(_ milliseconds: Int, partSize: Int) {
            microseconds = UInt32(milliseconds * 1000 / ReaderClient.partCount)
            self.partSize = max(1, partSize)
        }

        /// Pauses for each part that has begun or begins with the next byte.
        mutating func pause(after received: Int) {
            while hasMore, received >= done * partSize {
                done += 1
                usleep(microseconds)
            }
        }

        /// Returns the number of bytes up to the next pause.
        func next(after received: Int) -> Int {
            hasMore ? max(1, done * partSize - received) : .max
        }

        private var hasMore: Bool { microseconds > 0 && done < ReaderClient.partCount }
    }
}
