// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials
import Glibc
import Synchronization

/// A server on 127.0.0.1 that responds to every request with the same asset, fetched anew each time.
///
/// It is the same for all modes, so that only their fetching differs: one thread that waits for sockets, and a task per
/// connection. The variant `server` of the scenario shows its own cost.
package final class RelayServer: Sendable {
    private struct State {
        var url: URL?
        var failure: FetchFailure?
        var connections = 0
    }

    package let port: Int
    private let relay: any Relay
    private let directory: String
    private let answered: @Sendable () -> Void
    private let listener: ServerSocket
    private let readiness: Readiness
    private let state = Mutex(State())

    /// Starts to listen.
    /// - Parameters:
    ///   - directory: The folder for modes that fetch to files.
    ///   - answered: Called for each body that was relayed completely.
    package init(
        _ relay: any Relay, in directory: String, answered: @escaping @Sendable () -> Void
    ) throws(FetchFailure) {
        (self.relay, self.directory, self.answered) = (relay, directory, answered)
        listener = try ServerSocket.listening()
        port = try listener.port()
        readiness = try Readiness(capacity: 4 * ProxyScenario.readerCount)
        Task { await self.accept() }
    }

    /// The failure of the first body that was not relayed, or `nil`.
    package var failure: FetchFailure? { state.withLock(\.failure) }

    package func serve(_ url: URL) { state.withLock { $0.url = url } }

    /// Ends every wait, and with it every task.
    package func close() { readiness.close() }

    private func accept() async {
        while await readiness.wait(until: listener.descriptor, is: .readable) {
            while let client = listener.accepted() {
                let number = state.withLock { state in
                    state.connections += 1
                    return state.connections
                }
                Task { await self.answer(ReaderConnection(client, self.readiness), number) }
            }
        }
    }

    /// Responds to requests until the reader or a failure ends the connection.
    private func answer(_ connection: ReaderConnection, _ number: Int) async {
        do throws(FetchFailure) {
            while let request = try await connection.nextRequest() {
                guard let url = state.withLock(\.url) else { return }
                try await relay.relay(
                    FetchRequest(url: url, destination: "\(directory)/relayed-\(number).body"), to: connection)
                answered()
                if request.closes || connection.closesAfterBody { return }
            }
        } catch {
            state.withLock { $0.failure = $0.failure ?? error }
        }
    }

    /// The connection to one reader, with its requests and the relayed bodies.
    ///
    /// Only one task uses it at a time.
    final class ReaderConnection: BodySink {
        private let socket: ServerSocket
        private let readiness: Readiness
        private let isEndless = Atomic(false)

        init(_ socket: ServerSocket, _ readiness: Readiness) {
            (self.socket, self.readiness) = (socket, readiness)
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
}

/// The head of a reader's request, of which only its end and the field `Connection` matter.
package struct RequestHead: Hashable {
    package static let longest = 1024

    /// True if the reader wants the connection closed after the response.
    package let closes: Bool

    /// Parses a head; `nil` if it is incomplete.
    package init?(parsing bytes: [UInt8]) throws(FetchFailure) {
        let text = String(decoding: bytes, as: UTF8.self)
        guard bytes.ends(with: "\r\n\r\n".utf8) else {
            guard bytes.count < Self.longest else {
                throw FetchFailure(.malformedResponse, "a reader's request has no end")
            }
            return nil
        }
        let lines = text.split(whereSeparator: \.isNewline).map { $0.lowercased() }
        guard lines.first?.hasPrefix("get /") == true else {
            throw FetchFailure(.malformedResponse, "a reader asks for something else than a body")
        }
        closes = lines.contains("connection: close")
    }
}
