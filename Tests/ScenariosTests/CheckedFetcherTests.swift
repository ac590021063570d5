// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hashing
import Scenarios
import Synchronization
import Testing
import TrialKit

/// Bodies of one asset that have to be the same, whichever of them is the wrong one.
struct CheckedFetcherTests {
    private final class MadeUpFetcher: Fetcher {
        private let bodies: Mutex<[String]>

        init(_ bodies: [String]) { self.bodies = Mutex(bodies) }

        func fetch(_ request: FetchRequest) async throws(FetchFailure) -> FetchedBody {
            let bytes = Array(bodies.withLock { $0.removeFirst() }.utf8)
            return FetchedBody(content: .memory(bytes), byteCount: bytes.count)
        }

        func invalidate() async {}
    }

    private static let url = "http://127.0.0.1/asset"

    private func asset(_ text: String?) -> ScenarioAsset {
        ScenarioAsset(
            name: "asset", url: Self.url, mediaType: "", byteCount: text?.utf8.count ?? 0,
            sha256: text.map { SHA256.hexadecimal(of: Array($0.utf8)) } ?? "")
    }

    /// How many fetches passed before one was refused.
    private func passed(_ bodies: [String], knowing text: String?) async throws -> (count: Int, CheckedFetcher) {
        let fetcher = CheckedFetcher(MadeUpFetcher(bodies), knowing: [asset(text)], by: .sha256)
        let request = FetchRequest(url: try #require(URL(string: Self.url)), destination: "/nowhere")
        for number in bodies.indices {
            do {
                _ = try await fetcher.fetch(request)
            } catch {
                #expect(error.code == .wrongBody)
                return (number, fetcher)
            }
        }
        return (bodies.count, fetcher)
    }

    @Test(arguments: [(["bad!", "good", "good"], 1), (["good", "bad!", "good"], 1), (["good", "good", "bad"], 2)])
    func ofAnUnknownAssetNobodyChoosesABody(bodies: [String], count: Int) async throws {
        let (passed, fetcher) = try await passed(bodies, knowing: nil)
        #expect(passed == count)
        #expect(fetcher.wrongBody?.code == .wrongBody)
    }

    @Test func constantContentIsTheBody() async throws {
        let (passed, fetcher) = try await passed(["good", "good"], knowing: nil)
        #expect(passed == 2 && fetcher.wrongBody == nil)
        #expect(fetcher.agreedReading(of: asset(nil))?.sha256 == asset("good").sha256)
    }

    @Test(arguments: [(["bad!", "good"], 0), (["good", "bad!"], 1), (["good", "goo"], 1)])
    func aKnownAssetIsComparedWithItself(bodies: [String], count: Int) async throws {
        #expect(try await passed(bodies, knowing: "good").count == count)
    }
}

/// Waiting that ends.
@Suite(.timeLimit(.minutes(10)))
struct PatienceTests {
    @Test func missingEventsAreReported() async throws {
        let failure = await #expect(throws: FetchFailure.self) {
            try await BoundedWait(seconds: 1).wait(for: "12 requests did not begin") { false }
        }
        #expect(failure == FetchFailure(.idleTimeout, "12 requests did not begin within 1 s"))
    }

    @Test func waitingEndsWithTheEvent() async throws {
        var looks = 0
        try await BoundedWait(seconds: 500).wait(for: "nothing happened") {
            looks += 1
            return looks == 3
        }
        #expect(looks == 3)
    }
}
