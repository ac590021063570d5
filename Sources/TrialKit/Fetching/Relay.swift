// SPDX-License-Identifier: Apache-2.0

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
