// SPDX-License-Identifier: Apache-2.0

import Glibc
import Hashing

/// A client on a blocking socket, which takes a body as slowly as it is told to and keeps none of it.
struct ReaderClient {
    /// How much the kernel takes for a reader that does not read; it doubles that for its own purposes.
    private static let receiveBufferByteCount: Int32 = 32 * 1024
    private static let pieceSize = 16 * 1024
    /// In how many parts a body is read, with a pause before each.
    private static let partCount = 8
    /// How large a part is where the length of the body is not told.
    private static let usualPartSize = 32 * 1024

    private let socket: TCPSocket

    /// Connects to a port of 127.0.0.1.
    init(port: Int) throws(FetchFailure) {
        socket = try TCPSocket(
            host: "127.0.0.1", port: port, idleTimeoutSeconds: 0,
            receiveBufferByteCount: Self.receiveBufferByteCount)
    }

    /// Asks for the body and reads it to its end, which a body that is cut off has early.
    /// - Parameters:
    ///   - milliseconds: how long it does not read, in all.
    ///   - closes: whether the connection shall end with the body.
    /// - Returns: The body, and whether the connection is still good.
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
        pauses.finish()
        let isOpen = !closes && head.value(of: "connection")?.lowercased() != "close"
        return (ReadersAnswer.Body(byteCount: received, sha256: hash.hexadecimal()), isOpen)
    }

    /// Whatever is at a path, whole.
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

    /// The length of the next piece of a body; 0 at its end.
    private func piece(
        of reader: inout HTTPReader, upTo limit: Int, for hash: inout SHA256
    ) throws(FetchFailure) -> Int {
        do throws(FetchFailure) {
            return try reader.readSome(upTo: limit, keepsRest: true) { piece throws(FetchFailure) in
                hash.update(piece)
            }
        } catch {
            // What was cut off ends here: its length and its hash will tell.
            guard error.code == .connectionLost else { throw error }
            return 0
        }
    }

    /// The pauses of one body: one before each part.
    private struct Pauses {
        private let microseconds: UInt32
        private let partSize: Int
        private var done = 0

        init(_ milliseconds: Int, partSize: Int) {
            microseconds = UInt32(milliseconds * 1000 / ReaderClient.partCount)
            self.partSize = max(1, partSize)
        }

        /// Pauses for each part that begins with the next byte, or has begun.
        mutating func pause(after received: Int) {
            while hasMore, received >= done * partSize {
                done += 1
                usleep(microseconds)
            }
        }

        /// How many bytes there are to the next pause.
        func next(after received: Int) -> Int {
            hasMore ? max(1, done * partSize - received) : .max
        }

        /// Pauses for the parts that a short body does not have.
        mutating func finish() {
            while hasMore {
                done += 1
                usleep(microseconds)
            }
        }

        private var hasMore: Bool { microseconds > 0 && done < ReaderClient.partCount }
    }
}
