// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import Testing
import TrialKit

/// The sessions that `repeat` makes, and which of them it invalidates.
@Suite(.timeLimit(.minutes(10)))
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

        deinit { counts.dropped.add(1, ordering: .relaxed) }

        func fetch(_ request: FetchRequest) async throws(FetchFailure) -> FetchedBody {
            FetchedBody(content: .memory(Data([1])), byteCount: 1)
        }

        func invalidate() async { counts.invalidated.add(1, ordering: .relaxed) }
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
        // A rise is followed, also that of the tests beside this one.
        let further = Int(try player.reading().figures["scenario_requests"] ?? 0) - 5
        let allMade = made == 1 ? 1 : made + further
        #expect(counts.dropped.load(ordering: .relaxed) == allMade - 1)
        await player.end()
        #expect(counts.made.load(ordering: .relaxed) == allMade)
        #expect(counts.invalidated.load(ordering: .relaxed) == (invalidated == 1 ? 1 : allMade))
        #expect(counts.dropped.load(ordering: .relaxed) == allMade)
    }
}

/// Distinguishing cancelled fetches from failures in a repetition.
@Suite(.timeLimit(.minutes(10)))
struct CancelledFetchTests {
    /// Ends every fetch in the same way, as soon as it is cancelled or at once.
    private final class MadeUpFetcher: Fetcher {
        private let failure: FetchFailure?
        private let waits: Bool

        init(_ failure: FetchFailure?, waits: Bool) {
            self.failure = failure
            self.waits = waits
        }

        func fetch(_ request: FetchRequest) async throws(FetchFailure) -> FetchedBody {
            while waits, !Task.isCancelled { await Task.yield() }
            if let failure { throw failure }
            return FetchedBody(content: .nothing, byteCount: 1)
        }

        func invalidate() async {}
    }

    private func cancels() throws -> RepeatCancels {
        try RepeatCancels(on: try #require(URL(string: "http://127.0.0.1:1/")), seed: 1, count: 3)
    }

    @Test func aCancelledFetchIsWhatIsWanted() async throws {
        let cancels = try cancels()
        defer { cancels.finish() }
        for number in 0..<5 {
            try await cancels.fetch(number, with: MadeUpFetcher(.cancelled, waits: true), to: "/nowhere/body")
        }
    }

    @Test(arguments: [true, false])
    func everyOtherEndIsAFailure(waits: Bool) async throws {
        let cancels = try cancels()
        defer { cancels.finish() }
        let failures = [
            FetchFailure(.httpStatus, "status 404"), FetchFailure(.connectionRefused, "nobody listens"),
            FetchFailure(.idleTimeout, "nothing came"),
        ]
        for failure in failures {
            await #expect(throws: failure) {
                try await cancels.fetch(0, with: MadeUpFetcher(failure, waits: waits), to: "/nowhere/body")
            }
        }
        let whole = await #expect(throws: FetchFailure.self) {
            try await cancels.fetch(0, with: MadeUpFetcher(nil, waits: waits), to: "/nowhere/body")
        }
        #expect(whole?.detail.contains("as if it were whole") == true)
    }

    @Test func bytesThatTheOriginDidNotSendAreReported() {
        let records = [(1, 10, 10), (5, 10, 10), (6, 20, 19), (7, 30, 30)].map { began, wanted, sent in
            OriginLog.Record(query: ["sent": "\(wanted)"], beganNanoseconds: began, byteCount: sent)
        }
        #expect(RepeatCancels.remarks(of: 2, [records[1], records[3]], since: 5).isEmpty)
        #expect(
            RepeatCancels.remarks(of: 3, records, since: 5) == [
                "1 of 3 fetches were cancelled before the origin had sent their part"
            ])
        #expect(RepeatCancels.remarks(of: 4, records, since: 5).first?.hasPrefix("2 of 4") == true)
    }
}
