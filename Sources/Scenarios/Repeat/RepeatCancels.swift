// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import MemProbe
import Statistics
import TrialKit

/// Fetches that are cancelled once a part of their body has arrived, which a seed has drawn.
///
/// The embedded origin sends exactly that part and then nothing, so that where a fetch is cut is the same on every
/// machine, however fast it is.
struct RepeatCancels {
    /// What the origin promises of each body.
    private static let promised = 64 * 1024
    /// How long a part of a body has for its way through the loopback interface and the client.
    private static let patienceNanoseconds: UInt64 = 10_000_000

    private let urls: [URL]
    private let offsets: [Int]

    /// Draws the offsets.
    init(_ stage: ScenarioStage, count: Int) throws(FetchFailure) {
        var generator = SeededGenerator(seed: stage.seed)
        offsets = (0..<count).map { _ in Int.random(in: 1..<Self.promised, using: &generator) }
        var urls: [URL] = []
        for offset in offsets {
            guard
                let url = URL(string: "/faults/stall?size=\(Self.promised)&sent=\(offset)", relativeTo: stage.warmup)
            else { throw FetchFailure(.other, "the URL of the origin's stall cannot be made") }
            urls.append(url.absoluteURL)
        }
        self.urls = urls
    }

    /// The offsets, a line each.
    var trace: [String] { offsets.map { "cancelled after \($0) of \(Self.promised) bytes" } }

    /// Starts a fetch, lets its part arrive, cancels it, and waits until it has ended.
    func fetch(_ number: Int, with fetcher: any Fetcher, to destination: String) async throws {
        let request = FetchRequest(url: urls[number % urls.count], destination: destination)
        let fetch = Task { try? await fetcher.fetch(request) }
        try await Task.sleep(nanoseconds: Self.patienceNanoseconds)
        fetch.cancel()
        guard await fetch.value == nil else {
            throw FetchFailure(.other, "a fetch that was cancelled has ended as if it were whole")
        }
        unlink(destination)
    }
}
