// SPDX-License-Identifier: Apache-2.0

/// Reads one HTTP/1.1 response from a socket through one buffer.
package struct HTTPReader {
    private static let longestHead = 64 * 1024
    private static let longestLine = 4096

    private let socket: TCPSocket
    private let buffer: RawBuffer
    /// The part of the buffer that was received and not consumed.
    private var pending = 0..<0

    package init(socket: TCPSocket, buffer: RawBuffer) {
        self.socket = socket
        self.buffer = buffer
    }

    /// Reads a head to its empty line; skips interim responses (1xx).
    package mutating func readHead() throws(FetchFailure) -> ResponseHead {
        while true {
            var text: [UInt8] = []
            while !text.ends(with: "\r\n\r\n".utf8), !text.ends(with: "\n\n".utf8) {
                guard text.count < Self.longestHead else {
                    throw FetchFailure(.malformedResponse, "the header has more than \(Self.longestHead) bytes")
                }
                guard let byte = try nextByte() else {
                    let what = text.isEmpty ? "without an answer" : "within the header"
                    throw FetchFailure(.connectionLost, "the connection ended \(what)")
                }
                text.append(byte)
            }
            let head = try ResponseHead(parsing: String(decoding: text, as: UTF8.self))
            if !(100..<200).contains(head.status) { return head }
        }
    }

    /// Passes the body to `consume` piece by piece, and returns its length.
    package mutating func readBody(
        framedBy framing: ResponseHead.Framing, _ consume: (UnsafeRawBufferPointer) throws(FetchFailure) -> Void
    ) throws(FetchFailure) -> Int {
        switch framing {
        case .length(let length):
            let received = try readPieces(upTo: length, consume)
            guard received == length else {
                throw FetchFailure(.truncatedBody, "\(received) bytes arrived of \(length) promised")
            }
            return received
        case .close:
            return try readPieces(upTo: .max, consume)
        case .chunked:
            return try readChunks(consume)
        }
    }

    private mutating func readChunks(
        _ consume: (UnsafeRawBufferPointer) throws(FetchFailure) -> Void
    ) throws(FetchFailure) -> Int {
        var total = 0
        while true {
            let line = try readLine().prefix { $0 != ";" && $0 != " " }
            guard line.allSatisfy(\.isHexDigit), let length = Int(line, radix: 16) else {
                throw FetchFailure(.malformedResponse, "a chunk size is invalid")
            }
            if length == 0 {
                // Skips trailer fields up to the empty line.
                while try !readLine().isEmpty {}
                return total
            }
            let received = try readPieces(upTo: length, consume)
            total += received
            guard received == length else {
                throw FetchFailure(.truncatedBody, "the connection ended within a chunk, after \(total) bytes")
            }
            guard try readLine().isEmpty else {
                throw FetchFailure(.malformedResponse, "a chunk is longer than its size")
            }
        }
    }

    private mutating func readPieces(
        upTo limit: Int, _ consume: (UnsafeRawBufferPointer) throws(FetchFailure) -> Void
    ) throws(FetchFailure) -> Int {
        var received = 0
        while received < limit {
            let count = try readSome(upTo: limit - received, consume)
            if count == 0 { break }
            received += count
        }
        return received
    }

    /// Passes the available part of the body, up to `limit`, to `consume`, and returns its length; 0 at the end.
    /// - Parameter keepsRest: True to leave the rest in the kernel, for a consumer that is slow on purpose.
    package mutating func readSome(
        upTo limit: Int, keepsRest: Bool = false, _ consume: (UnsafeRawBufferPointer) throws(FetchFailure) -> Void
    ) throws(FetchFailure) -> Int {
        guard try fill(atMost: keepsRest ? limit : .max) else { return 0 }
        let piece = pending.prefix(limit)
        try consume(UnsafeRawBufferPointer(rebasing: buffer.bytes[piece]))
        pending = piece.upperBound..<pending.upperBound
        return piece.count
    }

    private mutating func readLine() throws(FetchFailure) -> String {
        var line: [UInt8] = []
        while let byte = try nextByte() {
            if byte == UInt8(ascii: "\n") {
                return String(decoding: line.last == UInt8(ascii: "\r") ? line.dropLast() : line[...], as: UTF8.self)
            }
            line.append(byte)
            guard line.count < Self.longestLine else {
                throw FetchFailure(.malformedResponse, "a line between chunks is too long")
            }
        }
        throw FetchFailure(.truncatedBody, "the connection ended between chunks")
    }

    private mutating func nextByte() throws(FetchFailure) -> UInt8? {
        guard try fill() else { return nil }
        defer { pending = pending.lowerBound + 1..<pending.upperBound }
        return buffer.bytes[pending.lowerBound]
    }

    /// Receives more bytes if none are pending; returns `false` at the end of the connection.
    private mutating func fill(atMost limit: Int = .max) throws(FetchFailure) -> Bool {
        guard pending.isEmpty else { return true }
        let room = UnsafeMutableRawBufferPointer(rebasing: buffer.bytes.prefix(limit))
        pending = 0..<(try socket.receive(into: room))
        return !pending.isEmpty
    }
}

extension [UInt8] {
    func ends(with suffix: String.UTF8View) -> Bool {
        count >= suffix.count && self[(count - suffix.count)...].elementsEqual(suffix)
    }
}
