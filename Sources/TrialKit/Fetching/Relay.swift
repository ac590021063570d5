// SPDX-License-Identifier: Apache-2.0

/// Where a body is passed on to while it arrives, such as the connection to a client: it takes what it has room for.
public protocol BodySink: AnyObject, Sendable {
    /// Hears of a body that is about to come; called once, before its first byte.
    /// - Parameter byteCount: Its length, or `nil` where nobody knows it yet.
    func begin(byteCount: Int?) async throws(FetchFailure)

    /// Takes the first of these bytes, as many as there is room for, and never waits.
    /// - Returns: How many it took; 0 where there is no room.
    func write(_ bytes: UnsafeRawBufferPointer) throws(FetchFailure) -> Int

    /// Returns when there is room again; blocks no thread.
    func waitForRoom() async throws(FetchFailure)
}

/// What passes bodies on, inside the trial's process: the part of a mode in a server that fetches for its clients.
public protocol Relay: AnyObject, Sendable {
    /// What a reader of its figures has to know, or `nil`.
    var remark: String? { get }

    /// Fetches a body and passes it on, for several requests at once.
    ///
    /// It returns when the sink has the whole of it; a body shorter than promised throws, as does every status that is
    /// no body.
    func relay(_ request: FetchRequest, to sink: any BodySink) async throws(FetchFailure)

    /// Lets go of sessions, connections and buffers.
    func invalidate() async
}
