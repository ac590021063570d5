// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials
import Glibc
import MemProbe

/// Fetches that are cancelled after a part of the body, whose length is drawn from the seed.
///
/// The embedded origin sends exactly that part and stalls, so that the point of the cut does not depend on the machine.
package struct RepeatCancels {
    private static let promised = 64 * 1024
    /// The time for a part of a body to pass the loopback interface and the client.
    private static let patienceMicroseconds: UInt32 = 10_000
    private static let path = "/faults/stall"

    private let origin: URL
    private let urls: [URL]
    private let offsets: [Int]
    private let canceller: Canceller

    /// Draws the lengths.
    /// - Parameter origin: Any URL of the embedded origin.
    package init(on origin: URL, seed: UInt64, count: Int) throws(FetchFailure) {
        var generator = TraceGenerator(seed: seed)
        self.origin = origin
        offsets = (0..<count).map { _ in Int.random(in: 1..<Self.promised, using: &generator) }
        var urls: [URL] = []
        for offset in offsets {
            guard let url = URL(string: "\(Self.path)?size=\(Self.promised)&sent=\(offset)", relativeTo: origin) else {
                throw FetchFailure(.other, "the URL of the origin's stall cannot be made")
            }
            urls.append(url.absoluteURL)
        }
        self.urls = urls
        canceller = try Canceller(afterMicroseconds: Self.patienceMicroseconds)
    }

    var trace: [String] { offsets.map { "cancelled after \($0) of \(Self.promised) bytes" } }

    /// The number of hand-overs that fill the pools: 1,024 blocks for each thread of Swift's tasks, and as many again.
    private static let handOvers = 4096

    /// Fills the pools of libdispatch, which no slope could tell from a leak.
    ///
    /// A cancellation resumes a task from the canceller's thread, and a client's callback one from a thread of the
    /// client. Whatever is handed over from a thread that is not
    /// libdispatch's leaves a block in the pool of the thread that goes on, up to 1,024 times.
    package static func fillPools() async throws(FetchFailure) {
        for _ in 0..<handOvers { try await DetachedThread.value { () throws(FetchFailure) in } }
    }

    /// Starts a fetch, cancels it once its part has arrived, and waits for its end.
    /// - Throws: ``FetchFailure`` if it ended in any other way than by cancellation.
    package func fetch(_ number: Int, with fetcher: any Fetcher, to destination: String) async throws(FetchFailure) {
        let request = FetchRequest(url: urls[number % urls.count], destination: destination)
        let fetch = CancelledFetch(request, with: fetcher)
        canceller.cancel(fetch)
        try await fetch.end()
        unlink(destination)
    }

    package func finish() {
        canceller.finish()
    }

    /// Returns a remark on fetches that were cancelled before the origin had sent their part, if there are any.
    /// - Parameters:
    ///   - count: The number of fetches.
    ///   - start: The start of the first one.
    func remarks(of count: Int, since start: Int) throws -> [String] {
        // Over TLS, a query to the origin would take more than a few lines.
        guard origin.scheme == "http", let port = origin.port else { return [] }
        return Self.remarks(of: count, try OriginLog(port: port, path: Self.path).records, since: start)
    }

    /// The same, from the origin's records.
    package static func remarks(of count: Int, _ records: [OriginLog.Record], since start: Int) -> [String] {
        let ours = records.filter { $0.beganNanoseconds >= start }
        let whole = ours.count { Int($0.query["sent"] ?? "") == $0.byteCount }
        guard whole < count else { return [] }
        return ["\(count - whole) of \(count) fetches were cancelled before the origin had sent their part"]
    }
}
