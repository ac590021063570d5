// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import Synchronization

/// The connection to one reader, with its requests and the relayed bodies.
///
/// Only one task uses it at a time.
final class ReaderConnection: BodySink {
    private let socket: ServerSocket
    private let readiness: Readiness
    private let isEndless = Atomic(false)

    init(_ socket: ServerSocket, _ readiness: Readiness) {
        self.socket = socket
        self.readiness = readiness
    }

    /// Returns the head of the next request; `nil` if the reader has closed.
    func nextRequest() async throws(FetchFailure) -> RequestHead? {
        var text: [UInt8] = []
        while true {
            let piece = try receive()
            if let piece {
                if piece.isEmpty { return nil }
                text += piece
                if let head = try RequestHead(parsing: text) { return head }
            } else if await !readiness.wait(until: socket.descriptor, is: .readable) {
                return nil
            }
        }
    }

    /// True if the end of the connection is the end of the body.
    var closesAfterBody: Bool { isEndless.load(ordering: .relaxed) }

    func begin(byteCount: Int?) async throws(FetchFailure) {
        isEndless.store(byteCount == nil, ordering: .relaxed)
        // A body of unknown length ends with its connection.
        let framing = byteCount.map { "Content-Length: \($0)" } ?? "Connection: close"
        try await send(Array("HTTP/1.1 200 OK\r\n\(framing)\r\n\r\n".utf8))
    }

    func write(_ bytes: UnsafeRawBufferPointer) throws(FetchFailure) -> Int {
        try socket.send(bytes)
    }

    func waitForRoom() async throws(FetchFailure) {
        guard await readiness.wait(until: socket.descriptor, is: .writable) else {
            throw FetchFailure(.other, "the server was closed while a reader was still reading")
        }
    }

    /// Receives available bytes; empty at the end, `nil` if there are none yet.
    private func receive() throws(FetchFailure) -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: RequestHead.longest)
        let count = try buffer.withUnsafeMutableBytes { bytes in
            Result { () throws(FetchFailure) in try socket.receive(into: bytes) }
        }.get()
        return count.map { Array(buffer[..<$0]) }
    }
}
