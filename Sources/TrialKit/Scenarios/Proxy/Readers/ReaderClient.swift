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

    private let socket: ClientSocket

    /// Connects to a port of 127.0.0.1.
    init(port: Int) throws(ReaderFailure) {
        socket = try ClientSocket(port: port, receiveBufferByteCount: Self.receiveBufferByteCount)
    }

    /// Asks for the body and reads it to its end, which a body that is cut off has early.
    /// - Parameters:
    ///   - milliseconds: how long it does not read, in all.
    ///   - closes: whether the connection shall end with the body.
    /// - Returns: The body, and whether the connection is still good.
    func body(milliseconds: Int, closes: Bool) throws(ReaderFailure) -> (ReadersAnswer.Body, isOpen: Bool) {
        var hash = SHA256()
        let (received, isOpen) = try read("/body", milliseconds: milliseconds, closes: closes) { hash.update($0) }
        return (ReadersAnswer.Body(byteCount: received, sha256: hash.hexadecimal()), isOpen)
    }

    /// Reads whatever is at a path, piece by piece.
    func read(
        _ path: String, milliseconds: Int = 0, closes: Bool = true, _ take: (UnsafeRawBufferPointer) -> Void
    ) throws(ReaderFailure) -> (byteCount: Int, isOpen: Bool) {
        let connection = closes ? "close" : "keep-alive"
        try socket.send("GET \(path) HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: \(connection)\r\n\r\n")
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.pieceSize, alignment: 16)
        defer { buffer.deallocate() }
        let (head, early) = try readHead(buffer)
        guard head.status == 200 else { throw ReaderFailure("the server answered with status \(head.status)") }
        early.withUnsafeBytes(take)
        var received = early.count
        var pauses = Pauses(milliseconds, partSize: head.length.map { $0 / Self.partCount } ?? Self.usualPartSize)
        while received < head.length ?? .max {
            pauses.pause(after: received)
            let rest = min(buffer.count, (head.length ?? .max) - received, pauses.next(after: received))
            let count = try socket.receive(into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<rest]))
            if count == 0 { return (received, false) }
            take(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            received += count
        }
        pauses.finish()
        return (received, !closes && !head.closes)
    }

    /// Reads the head, and what came of the body in the same piece.
    private func readHead(_ buffer: UnsafeMutableRawBufferPointer) throws(ReaderFailure) -> (AnswerHead, [UInt8]) {
        var bytes: [UInt8] = []
        while bytes.count <= AnswerHead.longest {
            let count = try socket.receive(into: buffer)
            guard count > 0 else { throw ReaderFailure("the connection ended without an answer") }
            bytes += buffer[..<count]
            if let end = AnswerHead.end(in: bytes) {
                return (try AnswerHead(parsing: Array(bytes[..<end])), Array(bytes[end...]))
            }
        }
        throw ReaderFailure("the answer has a head without an end")
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
