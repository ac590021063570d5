// SPDX-License-Identifier: Apache-2.0

import NIOHTTP1
import Origin
import Testing

@Suite("The query of a request for bytes")
struct DeliveryTests {
    private func plan(
        _ query: String, _ headers: HTTPHeaders = [:], _ ledger: Ledger = Ledger()
    ) throws -> ResponsePlan {
        try #require(Answer.make(try .make("/bytes/1000?\(query)", headers: headers), ledger).plan)
    }

    @Test("lets a cache keep the answer for so long, and only where it says so")
    func cache() throws {
        for headers: HTTPHeaders in [[:], ["Range": "bytes=0-9"], ["If-None-Match": "*"]] {
            let plan = try plan("cache=60", headers)
            #expect(plan.headers["Cache-Control"] == ["max-age=60"])
            #expect(plan.headers["Date"].first?.hasSuffix(" GMT") == true)
        }
        let plain = try plan("")
        #expect(!plain.headers.contains(name: "Cache-Control") && !plain.headers.contains(name: "Date"))
    }

    @Test(
        "writes the date as RFC 9110 wants it",
        arguments: [
            (0, "Thu, 01 Jan 1970 00:00:00 GMT"), (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"),
            (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"), (1_709_251_199, "Thu, 29 Feb 2024 23:59:59 GMT"),
            (1_735_689_599, "Tue, 31 Dec 2024 23:59:59 GMT"), (4_107_542_400, "Mon, 01 Mar 2100 00:00:00 GMT"),
        ])
    func date(seconds: Int, text: String) {
        #expect(HTTPDate(secondsSince1970: seconds).text == text)
    }

    @Test("takes the ranges away")
    func noRanges() throws {
        let plan = try plan("ranges=none", ["Range": "bytes=0-9"])
        #expect(plan.status == .ok)
        #expect(!plan.headers.contains(name: "Accept-Ranges"))
        #expect(plan.content?.range == 0..<1000)
    }

    @Test("changes the bytes and their tag after so many requests for the same path and query")
    func changes() throws {
        let ledger = Ledger()
        let plans = try (0..<4).map { _ in try plan("changes-after=2&seed=7", [:], ledger) }
        let other = try plan("changes-after=2&seed=8", [:], ledger)
        let tags = plans.map { $0.headers.first(name: "ETag") }
        #expect(tags[0] == tags[1] && tags[2] == tags[3] && tags[1] != tags[2])
        let bytes = try plans.map { try $0.bytes() }
        #expect(bytes[0] == bytes[1] && bytes[2] == bytes[3] && bytes[1] != bytes[2])
        #expect(try bytes[2] == plan("seed=8").bytes(), "the second version is the body of the next seed")
        #expect(try other.bytes() == bytes[2], "another query has a count of its own")
        #expect(try plan("changes-after=0&seed=7").bytes() == bytes[2])
    }

    @Test("keeps count of a thousand changing paths and refuses more")
    func tooManyChanges() throws {
        let ledger = Ledger()
        for seed in 0..<1000 { #expect(try plan("changes-after=1&seed=\(seed)", [:], ledger).status == .ok) }
        #expect(try plan("changes-after=1&seed=1000", [:], ledger).status == .serviceUnavailable)
        #expect(try plan("changes-after=1&seed=3", [:], ledger).status == .ok)
    }

    @Test("cuts off an answer to a request for everything, and promises everything")
    func cut() throws {
        let cut = try plan("cut=100")
        #expect(cut.content?.range == 0..<1000 && cut.content?.limit == 100)
        #expect(cut.headers["Content-Length"] == ["1000"])
        let rest = try plan("cut=100", ["Range": "bytes=100-"])
        #expect(rest.status == .partialContent && rest.content?.limit == nil)
        #expect(rest.content?.range == 100..<1000)
        let restarted = try plan("cut=100", ["Range": "bytes=100-", "If-Range": "\"x\""])
        #expect(restarted.status == .ok && restarted.content?.limit == nil, "it asked for a range and gets everything")
    }

    @Test("stalls an answer to a request for everything, and no rest")
    func stall() throws {
        let stalled = try plan("stall=100")
        #expect(stalled.content?.limit == 100 && stalled.content?.endingAtLimit == .stall)
        #expect(stalled.headers["Content-Length"] == ["1000"])
        #expect(try plan("stall=100", ["Range": "bytes=100-"]).content?.limit == nil)
        #expect(try plan("cut=100").content?.endingAtLimit == .close)
        #expect(try plan("cut=1&stall=1").status == .badRequest)
        #expect(try plan("stall=x").status == .badRequest)
    }

    @Test("delays the head")
    func delay() throws {
        #expect(try plan("delay=60000").delayMilliseconds == 60_000)
        #expect(try plan("").delayMilliseconds == 0)
    }
}
