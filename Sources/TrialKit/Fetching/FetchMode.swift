// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials

/// A fetch path under test.
///
/// A mode is a description; the ``Fetcher`` that it makes in the trial's process does the work. A name, a summary and
/// ``makeFetcher(_:)`` are enough: the defaults are those of an http and https client with an `async` function that
/// returns the body.
public protocol FetchMode: Sendable {
    /// The value of `--mode`, in suites and in the column `mode`.
    var name: String { get }

    /// One line for `fetchbench list`.
    var summary: String { get }

    /// A caveat for readers of its figures, or `nil`.
    var caveat: String? { get }

    /// The supported URL schemes, in lower case; empty if it fetches nothing.
    var schemes: Set<String> { get }

    /// True if it returns a body that can be rendered.
    var yieldsBody: Bool { get }

    /// The dimensions of a plan that apply to it.
    var abilities: Set<ModeAbility> { get }

    /// True if it hashes the body as it arrives, so that the CPU time of the fetch includes hashing.
    var hashesOnTheWay: Bool { get }

    /// The behaviour of a fetch whose Swift task is cancelled.
    var onCancel: Cancellation.Conduct { get }

    /// The kind of asset that it needs; `nil` for any.
    var need: AssetNeed? { get }

    /// True if it decodes and shows pictures itself, as ``FetchedBody/picture``, so that no render model does.
    var showsItself: Bool { get }

    /// True if a fetch may still be at work when it returns, so that marks wait for a stable resident size.
    var settles: Bool { get }

    /// Makes the fetcher, with the one session of the whole trial.
    func makeFetcher(_ settings: FetchSettings) throws(FetchFailure) -> any Fetcher
}

extension FetchMode {
    /// None.
    public var caveat: String? { nil }
    /// `http` and `https`.
    public var schemes: Set<String> { ["http", "https"] }
    /// `true`: most modes return a body.
    public var yieldsBody: Bool { true }
    /// ``ModeAbility/concurrency``, which Swift expects of every `async` function.
    ///
    /// A mode whose fetch blocks its thread, or whose fetcher handles one request at a time, returns an empty set.
    /// ``DetachedThread/value(of:)`` moves a blocking call to its own thread.
    public var abilities: Set<ModeAbility> { [.concurrency] }
    /// `false`: most modes return a whole body, which the harness hashes afterwards.
    public var hashesOnTheWay: Bool { false }
    /// It ends with ``ModeAbility/cancellation``, and runs on without.
    public var onCancel: Cancellation.Conduct { abilities.contains(.cancellation) ? .ends : .runsOn }
    /// None.
    public var need: AssetNeed? { nil }
    /// `false`: most modes leave that to a render model.
    public var showsItself: Bool { false }
    /// `true`: a completion can run before the fetching code has released its buffers.
    public var settles: Bool { true }
}

/// A dimension of a plan that applies to some modes only; for the others its cases are not applicable.
public enum ModeAbility: String, Codable, Hashable, Sendable {
    /// Several fetches at once, without blocking threads that others need.
    case concurrency
    /// A consumer that receives the body in pieces and may be slow.
    case slowConsumer = "slow_consumer"
    /// A URLSession session whose configuration can be chosen.
    case sessionConfiguration = "session_configuration"
    /// A compressed body.
    case gzip
    /// Early end of a fetch when its Swift task is cancelled: with ``FetchFailure/Code/cancelled``, its connection
    /// closed or free again, and no part of the body at its destination.
    case cancellation
    /// A limit on the connections to one host.
    case connectionLimit = "connection_limit"
    /// A body that is passed to ``FetchRequest/consumer`` in pieces and kept nowhere else.
    case pieces
    /// Revalidation of a version of an asset.
    case revalidation
    /// Resumption of a partial body: ``FetchRequest/resumption``.
    case resuming
    /// The user's own header fields, method and body, sent to the target's origin only: ``FetchSettings/carried(by:)``.
    case requestDetails = "request_details"
    /// A body in the file ``FetchRequest/destination``, unless a consumer took it.
    case file
    /// HTTP/2 over TLS, where ``FetchSettings/http`` asks for it.
    case http2
    /// HTTP/1.1 alone, also with servers that offer HTTP/2, where ``FetchSettings/http`` asks for it.
    case http1Only = "http1_only"
}

/// A kind of asset that a mode needs.
public enum AssetNeed: String, Codable, Hashable, Sendable {
    /// Text in UTF-8.
    case text
    /// An asset on the embedded origin, which has a sink for uploads.
    case sink
    /// A JSON document of the embedded origin, whose records the mode can decode.
    case json
    /// An asset on the embedded origin, which can fail on request.
    case faults
    /// A picture.
    case image
}

/// Fetches bodies in the trial's process.
///
/// It is used for the warm-up and then for the measured fetch, concurrently if its mode is able to.
public protocol Fetcher: AnyObject, Sendable {
    /// Prepares what a request needs and no fetch should count, such as the body of an upload.
    ///
    /// Called once before each request, outside of every measured phase; in a cold start, which has no warm-up, at the
    /// start of the phase `fetch`.
    func prepare(for request: FetchRequest) async throws(FetchFailure)

    /// Fetches one body.
    ///
    /// Throws for a status of 400 or above, a body shorter than promised, and everything else that is not a body.
    func fetch(_ request: FetchRequest) async throws(FetchFailure) -> FetchedBody

    /// Fetches several bodies at once and returns them in the order of their requests.
    func fetch(_ requests: [FetchRequest]) async throws(FetchFailure) -> [FetchedBody]

    /// Releases sessions, connections and buffers.
    func invalidate() async
}

extension Fetcher {
    /// Does nothing.
    public func prepare(for request: FetchRequest) async throws(FetchFailure) {}

    /// Fetches each body in its own child task; all end before the first failure is thrown.
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

    /// Returns the result of a fetch as a value, because typed throws do not pass through a task.
    private func result(of request: FetchRequest) async -> Result<FetchedBody, FetchFailure> {
        do throws(FetchFailure) {
            return .success(try await fetch(request))
        } catch {
            return .failure(error)
        }
    }
}

/// Fetches nothing: its trials show the floor of the method.
package struct NoneMode: FetchMode {
    package let name = "none"
    package let summary = "no fetch at all: the floor of the method, in every plan"
    package let yieldsBody = false
    package let abilities: Set<ModeAbility> = []
    package let settles = false

    package init() {}

    package func makeFetcher(_ settings: FetchSettings) -> any Fetcher { NoFetcher() }

    private final class NoFetcher: Fetcher {
        func fetch(_ request: FetchRequest) async -> FetchedBody { .nothing }

        func invalidate() async {}
    }
}

/// Checks the schemes of URLs.
///
/// The libraries beneath support more than HTTP: URLSession connects to an FTP server and waits for its greeting, and
/// Foundation's initialisers read files, which modes are not meant to measure.
public enum SchemeCheck {
    /// Throws for every scheme but `http` and `https`; called before anything connects.
    public static func check(_ url: URL) throws(FetchFailure) {
        guard ["http", "https"].contains(url.scheme?.lowercased()) else {
            throw FetchFailure(.unsupportedScheme, "http and https only")
        }
    }
}

/// A picture that a mode shows itself, like an image view; held as long as the body.
public protocol ShownPicture: AnyObject, Sendable {
    /// Its width in pixels.
    var width: Int { get }
    /// Its height in pixels.
    var height: Int { get }
    /// The bytes of all bitmaps alive now in the process, by the ledger of their mappings, as in
    /// ``RenderedImage/bitmapByteCount``: each of several pictures reports the sum of all.
    var bitmapByteCount: Int { get }
    /// True if it replaces a body that could not be decoded.
    var isFallback: Bool { get }
}

/// Two modes of different client libraries in one process, for the costs of a second client beside the first.
///
/// The first fetches, then the second; both clients are held until the end.
package struct PairMode: FetchMode {
    package let name: String
    package let summary: String
    package let caveat: String? = "fetches every body twice, one client after the other: for costs, not for peaks"
    package let schemes: Set<String>
    package let abilities: Set<ModeAbility> = []
    private let first: any FetchMode
    private let second: any FetchMode

    /// Creates the pair of two modes by their names; `nil` if one of them is not in its list.
    package init?(_ first: String, of modes: [any FetchMode], and second: String, of others: [any FetchMode]) {
        guard let one = modes.first(where: { $0.name == first }), let other = others.first(where: { $0.name == second })
        else { return nil }
        (self.first, self.second) = (one, other)
        name = "\(first)-and-\(second)"
        summary = "two client libraries in one process: \(first), then \(second)"
        schemes = one.schemes.intersection(other.schemes)
    }

    package func makeFetcher(_ settings: FetchSettings) throws(FetchFailure) -> any Fetcher {
        Pair(try first.makeFetcher(settings), try second.makeFetcher(settings))
    }

    private final class Pair: Fetcher {
        private let first: any Fetcher
        private let second: any Fetcher

        init(_ first: any Fetcher, _ second: any Fetcher) {
            (self.first, self.second) = (first, second)
        }

        func prepare(for request: FetchRequest) async throws(FetchFailure) {
            try await first.prepare(for: request)
            try await second.prepare(for: request)
        }

        func fetch(_ request: FetchRequest) async throws(FetchFailure) -> FetchedBody {
            let body = try await first.fetch(request)
            let other = try await second.fetch(request)
            guard body.byteCount == other.byteCount else {
                throw FetchFailure(.wrongBody, "\(body.byteCount) bytes, then \(other.byteCount)")
            }
            return other
        }

        func invalidate() async {
            await first.invalidate()
            await second.invalidate()
        }
    }
}
