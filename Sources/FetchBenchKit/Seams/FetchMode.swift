// SPDX-License-Identifier: Apache-2.0

/// One fetch path under test.
///
/// A mode is a description; what does the work is the ``Fetcher`` it makes inside the trial's process.
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

    /// Makes what fetches in this process, with the one session that the whole trial uses.
    func makeFetcher(_ settings: FetchSettings) throws(FetchFailure) -> any Fetcher
}

/// What a mode may know about the trial it runs in.
public struct FetchSettings: Hashable, Sendable {
    /// How a body is verified, so that a mode that never holds it whole can hash it on the way.
    public var verification: Verification

    /// After how many seconds without a byte a mode gives up by itself, in whole seconds.
    ///
    /// Longer than the trial's own time limit, which is the one that decides.
    public var idleTimeoutSeconds: Int

    /// Creates the settings of a trial.
    public init(verification: Verification, idleTimeoutSeconds: Int) {
        self.verification = verification
        self.idleTimeoutSeconds = idleTimeoutSeconds
    }
}

/// How a body is compared with the asset it should be.
public enum Verification: String, Codable, Hashable, Sendable, CaseIterable {
    /// By its length and its SHA-256.
    case sha256
    /// By its length alone.
    case length
}

/// What fetches, inside the trial's process.
///
/// It is used from one task at a time: first for the warm-up, then for the fetch that is measured.
public protocol Fetcher: AnyObject, Sendable {
    /// Fetches one body.
    ///
    /// A status of 400 or above, a body shorter than promised and everything else that is no body throws.
    func fetch(_ request: FetchRequest) async throws(FetchFailure) -> FetchedBody

    /// Lets go of sessions, connections and buffers.
    func invalidate() async
}
