// SPDX-License-Identifier: Apache-2.0

import Testing
import TrialKit

/// What the server understands of its readers' heads, and what those do.
struct HeadTests {
    @Test func aRequestIsWholeOnceItHasEnded() throws {
        let text = "GET /body HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Close\r\n\r\n"
        for length in 0..<text.utf8.count {
            #expect(try RequestHead(parsing: Array(text.utf8.prefix(length))) == nil)
        }
        #expect(try RequestHead(parsing: Array(text.utf8))?.closes == true)
        let kept = "GET / HTTP/1.1\r\nConnection: keep-alive\r\n\r\n"
        #expect(try RequestHead(parsing: Array(kept.utf8))?.closes == false)
    }

    @Test(arguments: ["POST / HTTP/1.1\r\n\r\n", "\r\n\r\n", String(repeating: "x", count: RequestHead.longest)])
    func whatIsNoRequestForABodyIsRefused(text: String) {
        #expect(throws: FetchFailure.self) { try RequestHead(parsing: Array(text.utf8)) }
    }

    @Test func pacesFollowTheSeedAndAreStored() {
        let paces = ReaderPaces(seed: 7)
        #expect(paces == ReaderPaces(seed: 7) && paces != ReaderPaces(seed: 8))
        #expect(paces.milliseconds.allSatisfy(ReaderPaces.range.contains))
        let words = paces.trace.flatMap { $0.split(separator: " ").compactMap { Int($0) } }
        #expect(words.count == ReaderPaces.count + 3 * paces.trace.count, "two bounds and the period in each line")
    }

    @Test func aQuantileIsOneOfTheValues() {
        let sorted = Array(1...200)
        #expect(ReaderGroup.quantile(0.5, of: sorted) == 100)
        #expect(ReaderGroup.quantile(0.99, of: sorted) == 198)
        #expect(ReaderGroup.quantile(0.99, of: [5]) == 5)
        #expect(ReaderGroup.quantile(0.5, of: []) == 0)
    }
}
