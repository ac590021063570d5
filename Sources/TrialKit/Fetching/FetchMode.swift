// SPDX-License-Identifier: Apache-2.0

/// One fetch path under test.
///
/// A mode is a description; what does the work is the ``Fetcher`` it makes inside the trial's process. A name, a summary
/// and ``makeFetcher(_:)`` are enough: everything else has a default, which is that of a client of http and https with an
/// `async` function that hands the body over.
public protocol FetchMode: Sendable {
    /// The word of `--mode`, the suites and the column `mode`.
    var name: String { get }

    /// One line for `fetchbench list`: what is fetched into what.
    var summary: String { get }

    /// What a reader of its figures has to know, or `nil`.
    var caveat: String? { get }

    /// The URL schemes it can fetch, in lower case; empty where it fetches nothing.
    var schemes: Set<String> { get }

    /// Whether it leaves a body behind that can be rendered.
    var yieldsBody: Bool { get }

    /// Which dimensions of a plan mean anything to it.
    var abilities: Set<ModeAbility> { get }

    /// Whether a body is hashed while it arrives, so that the CPU time of the fetch holds that of hashing.
    var hashesOnTheWay: Bool { get }

    /// What an asset has to be for it, or `nil` where any will do.
    var need: AssetNeed? { get }

    /// Whether it decodes and shows pictures itself, as ``FetchedBody/picture``, so that no render model is to do it again.
    var showsItself: Bool { get }

    /// Whether something of a fetch may still go on when it has returned, so that the marks after it wait until the
    /// resident size stands still.
    var settles: Bool { get }

    /// Makes what fetches in this process, with the one session that the whole trial uses.
    func makeFetcher(_ settings: FetchSettings) throws(FetchFailure) -> any Fetcher

    /// Makes what passes bodies on to clients in this process, as a server does that fetches for others.
    func makeRelay(_ settings: FetchSettings) throws(FetchFailure) -> any Relay
}

extension FetchMode {
    /// None.
    public var caveat: String? { nil }
    /// `http` and `https`.
    public var schemes: Set<String> { ["http", "https"] }
    /// Yes: most modes hand over a body.
    public var yieldsBody: Bool { true }
    /// ``ModeAbility/concurrency``, which Swift expects of every `async` function.
    ///
    /// A mode whose fetch blocks its thread, or whose fetcher serves one request at a time, returns an empty set. A call that
    /// blocks can be moved to a thread of its own by ``DetachedThread/value(of:)``.
    public var abilities: Set<ModeAbility> { [.concurrency] }
    /// No: most modes are handed a whole body, which the harness hashes afterwards.
    public var hashesOnTheWay: Bool { false }
    /// None.
    public var need: AssetNeed? { nil }
    /// No: most modes leave that to a render model.
    public var showsItself: Bool { false }
    /// What passes a body on once all of it is there.
    public func makeRelay(_ settings: FetchSettings) throws(FetchFailure) -> any Relay {
        StoredRelay(try makeFetcher(settings))
    }
    /// Yes: a completion can run before the fetching code has let go of its own buffers.
    public var settles: Bool { true }
}

/// A dimension of a plan that means something to some modes only; in the others its cells are not applicable.
public enum ModeAbility: String, Codable, Hashable, Sendable {
    /// Several fetches at once: nothing blocks a thread that others need.
    case concurrency
    /// A consumer that gets the body in pieces, and may be slow.
    case slowConsumer = "slow_consumer"
    /// A session of URLSession, whose configuration can be chosen.
    case sessionConfiguration = "session_configuration"
    /// A body that is compressed on its way.
    case gzip
    /// A fetch ends early when its Swift task is cancelled: with ``FetchFailure/Code/cancelled``, its connection closed or
    /// free again, and no part of a body in its destination.
    case cancellation
    /// A limit on the connections to one host.
    case connectionLimit = "connection_limit"
    /// A body that is handed to ``FetchRequest/consumer`` piece by piece, and is nowhere else.
    case pieces
    /// Asking whether the version of an asset that is there still holds.
    case revalidation
    /// A body that was cut is gone on with where it ended: ``FetchRequest/resumption``.
    case resuming
    /// Header fields, a method and a body of the user's own are sent, to the origin of the target alone:
    /// ``FetchSettings/carried(by:)``.
    case requestDetails = "request_details"
    /// A body that is in the file ``FetchRequest/destination`` when the fetch ends, unless a consumer took it.
    case file
}

/// What an asset has to be for a mode.
public enum AssetNeed: String, Codable, Hashable, Sendable {
    /// Text in UTF-8.
    case text
    /// On the embedded origin, which has a sink to upload to.
    case sink
    /// A JSON document of the embedded origin, whose records the mode knows.
    case json
    /// On the embedded origin, which fails when it is asked to.
    case faults
    /// A picture.
    case image
}

/// What fetches, inside the trial's process.
///
/// It is used first for the warm-up, then for the fetch that is measured; for several fetches at once where its mode
/// is able to.
public protocol Fetcher: AnyObject, Sendable {
    /// Makes ready what a request needs and no fetch should count: the body that an upload sends.
    ///
    /// Called once before each request, outside of every measured phase; in a cold start, which has no warm-up, as the
    /// first thing of the phase `fetch`.
    func prepare(for request: FetchRequest) async throws(FetchFailure)

    /// Fetches one body.
    ///
    /// A status of 400 or above, a body shorter than promised and everything else that is no body throws.
    func fetch(_ request: FetchRequest) async throws(FetchFailure) -> FetchedBody

    /// Fetches several bodies at once; they stand in the order of their requests.
    func fetch(_ requests: [FetchRequest]) async throws(FetchFailure) -> [FetchedBody]

    /// Lets go of sessions, connections and buffers.
    func invalidate() async
}

extension Fetcher {
    /// Nothing to be made ready.
    public func prepare(for request: FetchRequest) async throws(FetchFailure) {}

    /// Each in a child task of its own; all end before the first failure is told.
    public func fetch(_ requests: [FetchRequest]) async throws(FetchFailure) -> [FetchedBody] {
        if requests.count == 1 { return [try await fetch(requests[0])] }
        let results = await withTaskGroup(of: (Int, Result<FetchedBody, FetchFailure>).self) { group in
            for (index, request) in requests.enumerated() {
                group.addTask { (index, await self.result(of: request)) }
            }
            var results: [Int: Result<FetchedBody, FetchFailure>] = [:]
            for await (index, result) in group { results[index] = result }
            return results
        }
        var bodies: [FetchedBody] = []
        for index in requests.indices {
            if let result = results[index] { bodies.append(try result.get()) }
        }
        return bodies
    }

    /// The fetch of one body as a value: typed throws do not pass through a task.
    private func result(of request: FetchRequest) async -> Result<FetchedBody, FetchFailure> {
        do throws(FetchFailure) {
            return .success(try await fetch(request))
        } catch {
            return .failure(error)
        }
    }
}
