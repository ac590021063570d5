// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials
import Glibc
import MemProbe

/// The destination of a relayed body, such as the connection to a client; it takes as much as it has room for.
public protocol BodySink: AnyObject, Sendable {
    /// Announces a body; called once, before its first byte.
    /// - Parameter byteCount: Its length, or `nil` if it is unknown.
    func begin(byteCount: Int?) async throws(FetchFailure)

    /// Takes as many leading bytes as there is room for, and never waits.
    /// - Returns: The number of bytes taken; 0 without room.
    func write(_ bytes: UnsafeRawBufferPointer) throws(FetchFailure) -> Int

    /// Waits for room without blocking a thread.
    func waitForRoom() async throws(FetchFailure)
}

/// Relays bodies in the trial's process, like a server that fetches for its clients.
public protocol Relay: AnyObject, Sendable {
    /// A remark on its figures, or `nil`.
    var remark: String? { get }

    /// Fetches a body and passes it on; called for several requests at once.
    ///
    /// Returns when the sink has the whole body; throws for a short body and for a status without a body.
    func relay(_ request: FetchRequest, to sink: any BodySink) async throws(FetchFailure)

    /// Releases sessions, connections and buffers.
    func invalidate() async
}

/// Passes a body on once it is complete, for modes that return it whole or in a file.
package final class StoredRelay: Relay {
    package let remark: String? = "a body is passed on once all of it is there"

    private static let pieceSize = 64 * 1024
    private let fetcher: any Fetcher

    package init(_ fetcher: any Fetcher) { self.fetcher = fetcher }

    package func relay(_ request: FetchRequest, to sink: any BodySink) async throws(FetchFailure) {
        let body = try await fetcher.fetch(request)
        try await sink.begin(byteCount: body.byteCount)
        switch body.content {
        case .nothing, .consumed: break
        case .memory(let bytes): try await sink.send(bytes)
        case .file(let path): try await Self.send(fileAt: path, to: sink)
        }
    }

    package func invalidate() async { await fetcher.invalidate() }

    private static func send(fileAt path: String, to sink: any BodySink) async throws(FetchFailure) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw FetchFailure(errno: errno, "the fetched file cannot be opened") }
        defer {
            close(descriptor)
            unlink(path)
        }
        var piece = [UInt8](repeating: 0, count: pieceSize)
        while true {
            let count = piece.withUnsafeMutableBytes { SystemCall.readSome($0, from: descriptor) }
            if count == 0 { return }
            guard count > 0 else { throw FetchFailure(errno: errno, "the fetched file cannot be read") }
            try await sink.send(piece[..<count])
        }
    }
}

extension BodySink {
    /// Sends all bytes; waits for room as needed.
    public func send(_ bytes: some ContiguousBytes & Sendable) async throws(FetchFailure) {
        var sent = 0
        while true {
            // Typed throws do not pass through `withUnsafeBytes`, so the result is carried out.
            let (written, isDone) = try bytes.withUnsafeBytes { all in
                Result { () throws(FetchFailure) in
                    let rest = UnsafeRawBufferPointer(rebasing: all[min(sent, all.count)...])
                    let written = rest.isEmpty ? 0 : try write(rest)
                    return (written, written == rest.count)
                }
            }.get()
            sent += written
            if isDone { return }
            if written == 0 { try await waitForRoom() }
        }
    }
}
