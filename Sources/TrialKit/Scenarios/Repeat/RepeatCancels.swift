// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials
import Glibc
import MemProbe
import Synchronization

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

    package func finish() { canceller.finish() }

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

    /// Cancels a fetch after a delay, from its own thread, without allocating.
    ///
    /// `Task.sleep` leaves 64 bytes of libdispatch's on the thread that ends it, up to 1,024 times, which looks like a leak.
    final class Canceller: Sendable {
        private let fetch = Mutex<CancelledFetch?>(nil)
        private let microseconds: UInt32
        // Unsafe: a semaphore is made for several threads.
        private nonisolated(unsafe) let orders: UnsafeMutablePointer<sem_t>

        init(afterMicroseconds microseconds: UInt32) throws(FetchFailure) {
            self.microseconds = microseconds
            orders = .allocate(capacity: 1)
            sem_init(orders, 0, 0)
            try DetachedThread.run { [self] in run() }
        }

        deinit {
            sem_destroy(orders)
            orders.deallocate()
        }

        /// Cancels a fetch after the delay; one at a time.
        func cancel(_ next: CancelledFetch) {
            fetch.withLock { $0 = next }
            sem_post(orders)
        }

        func finish() { sem_post(orders) }

        private func run() {
            while true {
                _ = SystemCall.retried { sem_wait(orders) }
                guard let begun = fetch.withLock({ $0.take() }) else { return }
                usleep(microseconds)
                begun.cancel()
            }
        }
    }

    /// A fetch that is to be cancelled; every other end of it is a failure.
    package struct CancelledFetch: Sendable {
        private let task: Task<FetchFailure?, Never>

        package init(_ request: FetchRequest, with fetcher: any Fetcher) {
            task = Task {
                do throws(FetchFailure) {
                    _ = try await fetcher.fetch(request)
                    return nil
                } catch {
                    return error
                }
            }
        }

        package func cancel() { task.cancel() }

        /// Waits for the end.
        /// - Throws: ``FetchFailure`` if the fetch ended in any other way than by cancellation.
        package func end() async throws(FetchFailure) {
            guard let failure = await task.value else {
                throw FetchFailure(.other, "a fetch that was cancelled has ended as if it were whole")
            }
            guard failure.code == .cancelled else { throw failure }
        }
    }
}
