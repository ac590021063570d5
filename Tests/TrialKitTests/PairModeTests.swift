// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
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

        init(mode: NamedMode) {
            self.mode = mode
        }

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
