// SPDX-License-Identifier: Apache-2.0

import Glibc
import Synchronization

/// Reads one HTTP/1.1 response from a socket through one buffer.
package struct HTTPReader {
    private static let longestHead = 64 * 1024
    private static let longestLine = 4096

    private let socket: TCPSocket
    private let buffer: RawBuffer
    /// The part of the buffer that was received and not consumed.
    private var pending = 0..<0

    package init(socket: TCPSocket, buffer: RawBuffer) {
        (self.socket, self.buffer) = (socket, buffer)
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
        case .close: return try readPieces(upTo: .max, consume)
        case .chunked: return try readChunks(consume)
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
    package mutating func readSome(
        upTo limit: Int, _ consume: (UnsafeRawBufferPointer) throws(FetchFailure) -> Void
    ) throws(FetchFailure) -> Int {
        guard try fill() else { return 0 }
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
    private mutating func fill() throws(FetchFailure) -> Bool {
        guard pending.isEmpty else { return true }
        pending = 0..<(try socket.receive(into: buffer.bytes))
        return !pending.isEmpty
    }
}

extension [UInt8] {
    func ends(with suffix: String.UTF8View) -> Bool {
        count >= suffix.count && self[(count - suffix.count)...].elementsEqual(suffix)
    }
}

/// The head of an HTTP/1.1 response, as far as fetching a body needs it.
package struct ResponseHead: Hashable {
    /// The framing of a body.
    package enum Framing: Hashable {
        case length(Int)
        /// Chunks, the last of which is empty.
        case chunked
        case close
    }

    package let status: Int
    /// The header fields, with names in lower case.
    package let fields: [(name: String, value: String)]

    package static func == (left: ResponseHead, right: ResponseHead) -> Bool {
        left.status == right.status && left.fields.elementsEqual(right.fields) { $0 == $1 }
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(status) }

    /// Parses a head, without the empty line that ends it.
    package init(parsing text: String) throws(FetchFailure) {
        // "\r\n" is one Character in Swift, so lines are split on scalars' own terms.
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        let words = (lines.first ?? "").split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
        guard words.count >= 2, words[0].hasPrefix("HTTP/1."), words[1].count == 3,
            words[1].allSatisfy({ ("0"..."9").contains($0) }), let status = Int(words[1])
        else {
            throw FetchFailure(.malformedResponse, "the answer does not begin with an HTTP/1 status line")
        }
        var fields: [(name: String, value: String)] = []
        for line in lines.dropFirst() where !line.isEmpty {
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, !parts[0].isEmpty else {
                throw FetchFailure(.malformedResponse, "a header line has no colon")
            }
            fields.append((parts[0].lowercased(), Self.trimmed(parts[1])))
        }
        (self.status, self.fields) = (status, fields)
    }

    package func value(of name: String) -> String? {
        fields.first { $0.name == name }?.value
    }

    /// The framing of the body of this response to a request other than `HEAD` and `CONNECT`: RFC 9112, section 6.3.
    package func framing() throws(FetchFailure) -> Framing {
        // These have no body, whatever their fields say.
        if (100..<200).contains(status) || status == 204 || status == 304 { return .length(0) }
        if let encoding = value(of: "transfer-encoding") {
            guard encoding.lowercased() == "chunked" else {
                throw FetchFailure(.malformedResponse, "this transfer encoding is not spoken here")
            }
            return .chunked
        }
        let lengths = Set(fields.filter { $0.name == "content-length" }.map(\.value))
        guard let text = lengths.first else { return .close }
        guard lengths.count == 1, text.allSatisfy({ ("0"..."9").contains($0) }), let length = Int(text) else {
            throw FetchFailure(.malformedResponse, "the Content-Length is invalid")
        }
        return .length(length)
    }

    private static func trimmed(_ text: Substring) -> String {
        let front = text.drop { $0 == " " || $0 == "\t" }
        return String(front.reversed().drop { $0 == " " || $0 == "\t" }.reversed())
    }
}

/// The buffer of a raw fetch; each fetch allocates its own, because that is part of its cost.
package final class RawBuffer {
    package let bytes: UnsafeMutableRawBufferPointer

    package init(byteCount: Int) {
        bytes = .allocate(byteCount: byteCount, alignment: 4096)
    }

    deinit { bytes.deallocate() }
}

/// Lets one thread shut a socket down while another one waits on it.
package final class SocketLine: Sendable {
    private struct State {
        var descriptor: Int32?
        var isCut = false
    }

    private let state = Mutex(State())

    package init() {}

    /// Ends all waits on the socket, present and future, including the one for a connection, by `shutdown(2)`.
    package func cut() {
        state.withLock { state in
            state.isCut = true
            // Under the lock, because the number of a closed socket may be in use again.
            if let descriptor = state.descriptor { shutdown(descriptor, Int32(SHUT_RDWR)) }
        }
    }

    func hold(_ descriptor: Int32) { state.withLock { $0.descriptor = descriptor } }

    /// True once it was cut; before the socket is connected, only this prevents a wait.
    var isCut: Bool { state.withLock { $0.isCut } }

    func close(_ descriptor: Int32) {
        state.withLock { state in
            state.descriptor = nil
            Glibc.close(descriptor)
        }
    }
}
