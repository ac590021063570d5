// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import Testing
import TrialKit

/// The sessions that `repeat` makes, and which of them it invalidates.
@Suite(.timeLimit(.minutes(2)))
struct RepeatSessionTests {
    private final class Counts: Sendable {
        let made = Atomic(0)
        let invalidated = Atomic(0)
        let dropped = Atomic(0)
    }

    private struct Mode: FetchMode {
        let counts: Counts
        let name = "counted"
        let summary = "counts its fetchers"

        func makeFetcher(_ settings: FetchSettings) throws(FetchFailure) -> any Fetcher { CountedFetcher(counts) }
    }

    private final class CountedFetcher: Fetcher {
        private let counts: Counts

        init(_ counts: Counts) {
            self.counts = counts
            counts.made.add(1, ordering: .relaxed)
        }

        deinit {
            counts.dropped.add(1, ordering: .relaxed)
        }

        func fetch(_ request: FetchRequest) async throws(FetchFailure) -> FetchedBody {
            FetchedBody(content: .memory(Data([1])), byteCount: 1)
        }

        func invalidate() async {
            counts.invalidated.add(1, ordering: .relaxed)
        }
    }

    /// One session of the warm-up is always made and invalidated; 20 repetitions come before the mark, 5 are measured.
    @Test(arguments: [("repeat:5", 1, 1), ("repeat:session:5", 26, 1), ("repeat:session-invalidated:5", 26, 26)])
    func eachVariantMakesItsSessions(text: String, made: Int, invalidated: Int) async throws {
        var request = TrialRequest(
            mode: "counted", render: "none", warmupURL: "http://127.0.0.1:1/", url: "http://127.0.0.1:1/",
            warmsTarget: false, directory: FileManager.default.temporaryDirectory.path, verification: .length,
            idleTimeoutSeconds: 10, rendering: RenderSettings(), seed: 1)
        var conditions = FetchConditions.standard
        conditions.scenario = try #require(ScenarioChoice(text))
        request.conditions = conditions
        let url = try #require(URL(string: request.url))
        let counts = Counts()
        let stage = ScenarioStage(
            request, FetchSettings(verification: .length, idleTimeoutSeconds: 10), mode: Mode(counts: counts),
            model: NoneModel(), target: url, warmup: url)
        let player = try await RepeatScenario().makePlayer(on: stage)
        try await player.warmUp()
        try await player.play()
        #expect(counts.dropped.load(ordering: .relaxed) == made - 1)
        await player.end()
        #expect(counts.made.load(ordering: .relaxed) == made)
        #expect(counts.invalidated.load(ordering: .relaxed) == invalidated)
        #expect(counts.dropped.load(ordering: .relaxed) == made)
    }
}
