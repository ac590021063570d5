// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import Synchronization
import Testing
import TrialKit

/// Two client libraries in one process.
struct PairModeTests {
    /// A mode whose fetcher leaves its name in a list.
    private struct NamedMode: FetchMode {
        let name: String
        var byteCount = 3
        var schemes: Set<String> = ["http", "https"]
        let summary = "a description"
        let calls: Calls

        func makeFetcher(_ settings: FetchSettings) throws(FetchFailure) -> any Fetcher {
            NamedFetcher(mode: self)
        }
    }

    private final class NamedFetcher: Fetcher {
        private let mode: NamedMode

        init(mode: NamedMode) { self.mode = mode }

        func fetch(_ request: FetchRequest) async throws(FetchFailure) -> FetchedBody {
            mode.calls.names.withLock { $0.append(mode.name) }
            return FetchedBody(content: .nothing, byteCount: mode.byteCount)
        }

        func invalidate() async {
            mode.calls.names.withLock { $0.append("end of " + mode.name) }
        }
    }

    private final class Calls: Sendable {
        let names = Mutex<[String]>([])
    }

    private func request() throws -> FetchRequest {
        FetchRequest(url: try #require(URL(string: "http://origin/")), destination: "/nowhere")
    }

    private let settings = FetchSettings(verification: .length, idleTimeoutSeconds: 1)

    @Test func bothFetchAndBothAreReleased() async throws {
        let calls = Calls()
        let modes = [NamedMode(name: "one", calls: calls), NamedMode(name: "two", schemes: ["http"], calls: calls)]
        let pair = try #require(PairMode("one", of: modes, and: "two", of: modes))
        #expect(pair.name == "one-and-two" && pair.schemes == ["http"] && pair.abilities.isEmpty)
        let fetcher = try pair.makeFetcher(settings)
        let request = try request()
        #expect(try await fetcher.fetch(request).byteCount == 3)
        await fetcher.invalidate()
        #expect(calls.names.withLock { $0 } == ["one", "two", "end of one", "end of two"])
    }

    @Test func bodiesThatDifferAreAFailure() async throws {
        let modes = [NamedMode(name: "one", calls: Calls()), NamedMode(name: "two", byteCount: 4, calls: Calls())]
        let fetcher = try #require(PairMode("one", of: modes, and: "two", of: modes)).makeFetcher(settings)
        let request = try request()
        let failure = await #expect(throws: FetchFailure.self) { try await fetcher.fetch(request) }
        #expect(failure?.code == .wrongBody)
    }

    @Test func aModeThatIsNotThereMakesNoPair() {
        let modes = [NamedMode(name: "one", calls: Calls())]
        #expect(PairMode("one", of: modes, and: "two", of: modes) == nil)
    }
}

/// A mode of three lines, and what every program plays with it.
@Suite(.timeLimit(.minutes(10)))
struct ShortModeTests {
    private struct Mode: FetchMode {
        let name = "short"
        let summary = "a name, a summary and what fetches"

        func makeFetcher(_ settings: FetchSettings) throws(FetchFailure) -> any Fetcher { throw .cancelled }
    }

    private final class Begun: Sendable {
        let count = Atomic(0)
    }

    private struct OwnRepeat: Scenario {
        let name = "repeat"
        let summary = "another one of that name"
        let needs = ScenarioNeeds()

        func makePlayer(on stage: ScenarioStage) throws -> any ScenarioPlayer { throw FetchFailure.cancelled }
    }

    @Test func everythingElseHasADefault() {
        let declared = ModeDeclaration(Mode())
        #expect(declared.schemes == ["http", "https"] && declared.yieldsBody && declared.caveat == nil)
        #expect(declared.abilities == [.concurrency])
        #expect(!declared.hashesOnTheWay && declared.need == nil && !declared.showsItself)
    }

    /// A scenario uses only what a minimal mode declares.
    @Test(arguments: CommonScenarios.all.map(ScenarioDeclaration.init))
    func itPlaysWhatEveryProgramPlays(scenario: ScenarioDeclaration) {
        let declared = ModeDeclaration(Mode())
        #expect(scenario.needs.abilities.isSubset(of: declared.abilities))
        #expect(!scenario.needs.origin && !scenario.needs.set && !scenario.needs.loader)
    }

    @Test func aScenarioOfOnesOwnReplacesTheOneOfItsName() {
        #expect(CommonScenarios.all.map(\.name) == ["repeat", "concurrency"])
        #expect(CommonScenarios.all(with: []).count == 2)
        #expect(CommonScenarios.all(with: [OwnRepeat()]).count == 2)
    }

    /// More of them than there are processors: each waits until all have begun.
    @Test func callsThatBlockRunAtOnceOnThreadsOfTheirOwn() async throws {
        let count = 4 * sysconf(Int32(_SC_NPROCESSORS_ONLN)) + 1
        let begun = Begun()
        let sum = try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<count {
                group.addTask {
                    try await DetachedThread.value { () throws(FetchFailure) in
                        begun.count.add(1, ordering: .relaxed)
                        while begun.count.load(ordering: .relaxed) < count { usleep(100) }
                        return number
                    }
                }
            }
            return try await group.reduce(0, +)
        }
        #expect(sum == count * (count - 1) / 2)
    }

    @Test func aFailureOfACallIsThatOfTheFetch() async {
        await #expect(throws: FetchFailure(.connectionRefused, "nobody listens")) {
            try await DetachedThread.value { () throws(FetchFailure) -> Int in
                throw FetchFailure(.connectionRefused, "nobody listens")
            }
        }
    }

    /// The first values of the reference implementation, `splitmix64.c` by Sebastiano Vigna, for seed 1234567: a trace that
    /// was stored is drawn again.
    @Test func tracesAreDrawnBySplitMix64() {
        var generator = TraceGenerator(seed: 1_234_567)
        let values = (0..<3).map { _ in generator.next() }
        #expect(values == [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423])
    }
}
