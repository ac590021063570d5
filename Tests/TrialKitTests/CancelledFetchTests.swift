// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import TrialKit

/// What a repetition takes for a cancelled fetch, and what for a failure.
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

    @Test func whatTheOriginDidNotSendIsTold() {
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
