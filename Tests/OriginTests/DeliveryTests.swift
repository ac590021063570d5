// SPDX-License-Identifier: Apache-2.0

import Foundation
import MemProbe
import NIOHTTP1
import Origin
import Testing

struct DeliveryTests {
    private func plan(
        _ query: String, _ headers: HTTPHeaders = [:], _ ledger: Ledger = Ledger()
    ) throws -> ResponsePlan {
        try #require(Answer.make(try .make("/bytes/1000?\(query)", headers: headers), ledger).plan)
    }

    @Test func letsACacheKeepTheAnswerForSoLongAndOnlyWhereItSaysSo() throws {
        for headers: HTTPHeaders in [[:], ["Range": "bytes=0-9"], ["If-None-Match": "*"]] {
            let plan = try plan("cache=60", headers)
            #expect(plan.headers["Cache-Control"] == ["max-age=60"])
            #expect(plan.headers["Date"].first?.hasSuffix(" GMT") == true)
        }
        let plain = try plan("")
        #expect(!plain.headers.contains(name: "Cache-Control") && !plain.headers.contains(name: "Date"))
    }

    @Test(arguments: [
        (0, "Thu, 01 Jan 1970 00:00:00 GMT"), (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"),
        (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"), (1_709_251_199, "Thu, 29 Feb 2024 23:59:59 GMT"),
        (1_735_689_599, "Tue, 31 Dec 2024 23:59:59 GMT"), (4_107_542_400, "Mon, 01 Mar 2100 00:00:00 GMT"),
    ])
    func writesTheDateAsRFC9110WantsIt(seconds: Int, text: String) {
        #expect(HTTPDate(secondsSince1970: seconds).text == text)
    }

    @Test func takesTheRangesAway() throws {
        let plan = try plan("ranges=none", ["Range": "bytes=0-9"])
        #expect(plan.status == .ok)
        #expect(!plan.headers.contains(name: "Accept-Ranges"))
        #expect(plan.content?.range == 0..<1000)
    }

    @Test func changesTheBytesAndTheirTagAfterSoManyRequests() throws {
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

    @Test func keepsCountOfAThousandChangingPathsAndRefusesMore() throws {
        let ledger = Ledger()
        for seed in 0..<1000 { #expect(try plan("changes-after=1&seed=\(seed)", [:], ledger).status == .ok) }
        #expect(try plan("changes-after=1&seed=1000", [:], ledger).status == .serviceUnavailable)
        #expect(try plan("changes-after=1&seed=3", [:], ledger).status == .ok)
    }

    @Test func cutsOffAnAnswerToARequestForEverything() throws {
        let cut = try plan("cut=100")
        #expect(cut.content?.range == 0..<1000 && cut.content?.limit == 100)
        #expect(cut.headers["Content-Length"] == ["1000"])
        let rest = try plan("cut=100", ["Range": "bytes=100-"])
        #expect(rest.status == .partialContent && rest.content?.limit == nil)
        #expect(rest.content?.range == 100..<1000)
        let restarted = try plan("cut=100", ["Range": "bytes=100-", "If-Range": "\"x\""])
        #expect(restarted.status == .ok && restarted.content?.limit == nil, "it asked for a range and gets everything")
    }

    @Test func stallsAnAnswerToARequestForEverythingAndNoRest() throws {
        let stalled = try plan("stall=100")
        #expect(stalled.content?.limit == 100 && stalled.content?.endingAtLimit == .stall)
        #expect(stalled.headers["Content-Length"] == ["1000"])
        #expect(try plan("stall=100", ["Range": "bytes=100-"]).content?.limit == nil)
        #expect(try plan("cut=100").content?.endingAtLimit == .close)
        #expect(try plan("cut=1&stall=1").status == .badRequest)
        #expect(try plan("stall=x").status == .badRequest)
        #expect(try plan("delay=60000").delayMilliseconds == 60_000 && plan("").delayMilliseconds == 0)
    }
}

struct ByteRangeTests {
    @Test(arguments: [
        ("bytes=0-99", ByteRange.closed(first: 0, last: 99)),
        ("bytes=5-5", .closed(first: 5, last: 5)),
        ("BYTES=100-", .from(first: 100)),
        ("bytes=-20", .suffix(count: 20)),
        ("bytes=0-99999999999999999999", .closed(first: 0, last: .max)),
    ])
    func isReadInItsThreeForms(text: String, expected: ByteRange) {
        #expect(ByteRange(parsing: text) == expected)
    }

    @Test(arguments: [
        "", "bytes", "bytes=", "bytes=-", "bytes=9-3", "bytes=a-b", "bytes=+1-2", "bytes=1-2,5-6", "items=0-1",
        "bytes=1", "bytes=--1", "bytes=1-2 ", "bytes=0x1-2",
    ])
    func isIgnoredWhenItIsMalformedOfAnotherUnitOrOfSeveralParts(text: String) {
        #expect(ByteRange(parsing: text) == nil)
    }

    @Test(
        arguments: [
            (ByteRange.closed(first: 0, last: 9), 100, 0..<10),
            (.closed(first: 90, last: 1000), 100, 90..<100),
            (.closed(first: 99, last: .max), 100, 99..<100),
            (.closed(first: 100, last: 100), 100, nil),
            (.from(first: 40), 100, 40..<100),
            (.from(first: 100), 100, nil),
            (.suffix(count: 10), 100, 90..<100),
            (.suffix(count: 1000), 100, 0..<100),
            (.suffix(count: 0), 100, nil),
            (.suffix(count: 5), 0, nil),
            (.from(first: 0), 0, nil),
        ] as [(ByteRange, Int, Range<Int>?)])
    func isCutToTheBodyOrCannotBeSatisfied(range: ByteRange, size: Int, expected: Range<Int>?) {
        #expect(range.resolved(in: size) == expected)
    }
}

@Suite(.serialized, .timeLimit(.minutes(5)))
struct CompressionTests {
    private func plan(_ headers: HTTPHeaders, version: HTTPVersion = .http1_1) throws -> ResponsePlan {
        let request = try OriginRequest.make("/text/1MiB?encoding=gzip", version: version, headers: headers)
        return try #require(Answer.make(request).plan)
    }

    @Test(arguments: [
        ("gzip", true), ("gzip, deflate", true), ("deflate, GZIP;q=0.1", true), ("x-gzip", true), ("*", true),
        ("br;q=1.0, *;q=0.5", true), ("", false), ("identity", false), ("gzip;q=0", false),
        ("gzip; q=0.000", false),
        ("*;q=0", false), ("gzip;q=0, *", false), ("gzipped", false), ("deflate, br", false), ("gzip;q=x", false),
    ])
    func isOnlyForThoseWhoAcceptIt(value: String, isCompressed: Bool) throws {
        let plan = try plan(["Accept-Encoding": value])
        #expect(plan.headers["Vary"] == ["Accept-Encoding"])
        #expect(plan.headers["Content-Encoding"] == (isCompressed ? ["gzip"] : []))
        #expect(plan.headers["Transfer-Encoding"] == (isCompressed ? ["chunked"] : []))
        #expect(plan.headers["Content-Length"] == (isCompressed ? [] : ["1048576"]))
        #expect(plan.headers["Accept-Ranges"] == (isCompressed ? [] : ["bytes"]))
    }

    @Test func isNotForAClientThatKnowsNoChunks() throws {
        #expect(!(try plan(["Accept-Encoding": "gzip"], version: .http1_0)).headers.contains(name: "Content-Encoding"))
        let plain = try #require(Answer.make(try .make("/text/1MiB?encoding=length")).plan)
        #expect(plain.headers["Content-Length"] == ["1048576"] && !plain.headers.contains(name: "Vary"))
    }

    @Test func hasATagOfItsOwnAndNoParts() throws {
        let tag = try #require(try plan(["Accept-Encoding": "gzip"]).headers.first(name: "ETag"))
        #expect(try plan([:]).headers.first(name: "ETag") != tag)
        #expect(try plan(["Accept-Encoding": "gzip", "If-None-Match": tag]).status == .notModified)
        #expect(try plan(["If-None-Match": tag]).status == .ok)
        #expect(try plan(["Accept-Encoding": "gzip", "Range": "bytes=0-9"]).status == .ok)
    }

    @Test(arguments: ["/text/20000001B", "/text/0B", "/bytes/1MiB", "/text/1"])
    func isTheTextAgainWhenCurlExpandsIt(path: String) async throws {
        try await withOrigin { origin in
            let plain = try await Curl.fetch(origin.baseURL + path)
            let expanded = try await Curl.fetch("--compressed", origin.baseURL + path + "?encoding=gzip")
            #expect(expanded.exitStatus == 0 && expanded.has("Content-Encoding", "gzip"))
            #expect(expanded.body == plain.body)
            let other = try await Curl.fetch(origin.baseURL + path + "?encoding=gzip")
            #expect(!other.header.lowercased().contains("content-encoding") && other.body == plain.body)
        }
    }

    @Test func isCountedPacedAndCutAsItGoesOverTheWire() async throws {
        try await withOrigin { origin in
            let url = origin.baseURL + "/text/4MiB?encoding=gzip"
            let whole = try await Curl.fetch("-H", "Accept-Encoding: gzip", url)
            #expect((1 << 20..<2 << 20).contains(whole.body.count), "it compresses as a text would")
            let isLogged = try await eventually { origin.requests().first?.ending == .complete }
            #expect(isLogged && origin.requests()[0].bytesSent == ByteCount(whole.body.count))
            let paced = try await Curl.fetch("-H", "Accept-Encoding: gzip", url + "&rate=4MiB")
            #expect(paced.body == whole.body)
            #expect(paced.seconds >= 0.95 * Double(whole.body.count) / Double(4 << 20))
            let cut = try await Curl.fetch("-H", "Accept-Encoding: gzip", url + "&cut=100001B")
            #expect(cut.exitStatus == 18 && cut.body == whole.body.prefix(100_001))
            let uncut = try await Curl.fetch("-H", "Accept-Encoding: gzip", url + "&cut=4MiB")
            #expect(uncut.exitStatus == 0 && uncut.body == whole.body)
        }
    }

    @Test func answersHEADWithoutABodyAndKeepsTheConnection() async throws {
        try await withOrigin { origin in
            let url = origin.baseURL + "/text/1MiB?encoding=gzip"
            let answer = try await Curl.fetch("-I", "--compressed", url, "-o", "/dev/null", origin.baseURL + "/text/1")
            #expect(answer.exitStatus == 0 && answer.has("Vary", "Accept-Encoding"))
            #expect(origin.statistics().connectionsAccepted == 1)
        }
    }

    @Test(arguments: [1, 7, 1000, 65_536, 1 << 20])
    func readsTheSameWhateverThePiecesAre(size: Int) throws {
        let text = try GeneratedText(byteCount: 200_000, seed: 3)
        func read(_ size: Int) throws -> [UInt8] {
            let reader = try GzipReader(text, 1000..<200_000)
            var piece = [UInt8](repeating: 0, count: size)
            var bytes: [UInt8] = []
            while !reader.isAtEnd {
                let count = try piece.withUnsafeMutableBytes { try reader.read(into: $0) }
                #expect(count == size || reader.isAtEnd)
                bytes += piece[..<count]
            }
            return bytes
        }
        let bytes = try read(size)
        #expect(try bytes == read(333))
        #expect(bytes.prefix(2) == [0x1F, 0x8B])
    }
}

@Suite(.timeLimit(.minutes(10)))
struct NegotiationTests {
    @Test func isFoundWithItsParts() throws {
        let redirect = Negotiation.Redirect(status: 307, target: "/sink", cookie: "step")
        #expect(try Route(try .make("/redirect/307?to=/sink&cookie=step")) == .negotiation(.redirect(redirect)))
        #expect(try Route(try .make("/auth/digest")) == .negotiation(.digest))
    }

    @Test func takesABodyToRedirectAndNoOtherMethod() throws {
        func status(_ target: String, _ method: HTTPMethod) throws -> HTTPResponseStatus {
            try #require(Answer.make(try .make(target, method: method)).plan).status
        }
        #expect(try status("/redirect/308?to=/sink", .PUT) == .permanentRedirect)
        #expect(try status("/redirect/308?to=/sink", .DELETE) == .methodNotAllowed)
        #expect(try status("/auth/basic", .POST) == .methodNotAllowed)
    }

    @Test(arguments: ["basic", "digest"]) func asksForCredentialsAndTakesTheRightOnes(scheme: String) async throws {
        try await withOrigin { origin in
            let url = "\(origin.baseURL)/auth/\(scheme)"
            let without = try await Curl.fetch(url)
            #expect(without.status == 401)
            #expect(without.header.lowercased().contains("www-authenticate: \(scheme) realm=\"fetchbench\""))
            let wrong = try await Curl.fetch("--\(scheme)", "-u", "nobody:password", url)
            #expect(wrong.status == 401)
            let right = try await Curl.fetch("--\(scheme)", "-u", "user:password", url)
            #expect(right.status == 200 && right.body.count == 1024)
        }
    }

    @Test func setsACookieAndSendsTheClientOn() async throws {
        try await withOrigin { origin in
            let url = origin.baseURL + "/redirect/302?to=/bytes/1KiB&cookie=step"
            let answer = try await Curl.fetch("-L", "-b", "", url)
            #expect(answer.status == 200 && answer.body.count == 1024)
            #expect(origin.requests().map { $0.headers["cookie"] != nil } == [false, true])
        }
    }

    @Test func sendsABodyOn() async throws {
        try await withOrigin { origin in
            let url = origin.baseURL + "/redirect/307?to=/sink"
            let answer = try await Curl.fetch("-L", "-d", "abc", url)
            #expect(answer.status == 200)
            #expect(origin.requests().map(\.bytesReceived.rawValue) == [3, 3])
        }
    }
}
