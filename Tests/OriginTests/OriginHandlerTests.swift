// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOEmbedded
import NIOHTTP1
import NIOPosix
import Origin
import Runs
import Testing

/// A connection without a network, whose clock the test turns.
private struct Connection {
    let channel: EmbeddedChannel
    let ledger = Ledger()

    init(latencyNanoseconds: Int = 0) throws {
        let library = AssetLibrary(cacheDirectory: ".")
        let shelf = ImageShelf(library: library, pool: NIOThreadPool(numberOfThreads: 1))
        var configuration = OriginConfiguration(library: library)
        configuration.latencyNanoseconds = latencyNanoseconds
        channel = EmbeddedChannel(handler: OriginHandler(configuration, shelf: shelf, ledger: ledger))
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
    }

    /// Sends a request to the origin.
    func ask(_ target: String) throws {
        let head = HTTPRequestHead(version: .http1_1, method: .GET, uri: target)
        try channel.writeInbound(HTTPServerRequestPart.head(head))
        try channel.writeInbound(HTTPServerRequestPart.end(nil))
    }

    /// Returns the sizes of body parts written since the last call, and whether the body is complete.
    func answer() throws -> (parts: [Int], isComplete: Bool) {
        var parts: [Int] = []
        while let part = try channel.readOutbound(as: HTTPServerResponsePart.self) {
            switch part {
            case .head: break
            case .body(.byteBuffer(let buffer)): parts.append(buffer.readableBytes)
            case .body(.fileRegion(let region)): parts.append(region.readableBytes)
            case .end: return (parts, true)
            }
        }
        return (parts, false)
    }
}

struct OriginHandlerTests {
    @Test func sends64KiBWheneverTheScheduleSaysSo() throws {
        let connection = try Connection()
        try connection.ask("/bytes/256KiB?rate=60MiB")
        #expect(try connection.answer().parts == [])
        connection.channel.embeddedEventLoop.advanceTime(by: .nanoseconds(1_041_665))
        #expect(try connection.answer().parts == [])
        connection.channel.embeddedEventLoop.advanceTime(by: .nanoseconds(1))
        #expect(try connection.answer().parts == [65_536])
        connection.channel.embeddedEventLoop.advanceTime(by: .nanoseconds(1_041_667))
        #expect(try connection.answer().parts == [65_536])
        connection.channel.embeddedEventLoop.advanceTime(by: .milliseconds(3))
        let rest = try connection.answer()
        #expect(rest.parts == [65_536, 65_536])
        #expect(rest.isComplete)
        #expect(connection.ledger.statistics.bytesSent.rawValue == 262_144)
    }

    @Test func makesNoByteForAClientThatDoesNotRead() throws {
        let connection = try Connection()
        connection.channel.isWritable = false
        connection.channel.pipeline.fireChannelWritabilityChanged()
        try connection.ask("/bytes/64MiB?rate=unlimited")
        connection.channel.embeddedEventLoop.run()
        #expect(try connection.answer().parts == [])
        connection.channel.isWritable = true
        connection.channel.pipeline.fireChannelWritabilityChanged()
        let parts = try connection.answer().parts
        #expect(parts == [262_144, 262_144, 262_144, 262_144], "then the others get their turn")
        try connection.channel.close().wait()
        #expect(connection.ledger.statistics.openConnections == 0)
    }

    @Test func catchesUpWithItsScheduleWhenASlowClientReadsAgain() throws {
        let connection = try Connection()
        connection.channel.isWritable = false
        try connection.ask("/bytes/1MiB?rate=1MiB")
        connection.channel.embeddedEventLoop.advanceTime(by: .milliseconds(500))
        #expect(try connection.answer().parts == [])
        connection.channel.isWritable = true
        connection.channel.pipeline.fireChannelWritabilityChanged()
        connection.channel.embeddedEventLoop.run()
        let sent = try connection.answer().parts.reduce(0, +)
        #expect((500_000...524_288).contains(sent))
    }

    @Test func stopsWhenItsClientLeavesInTheMiddle() throws {
        let connection = try Connection()
        try connection.ask("/bytes/1GiB")
        connection.channel.embeddedEventLoop.advanceTime(by: .milliseconds(10))
        #expect(connection.ledger.statistics.bytesSent.rawValue == 9 * 65_536)
        try connection.channel.close().wait()
        connection.channel.embeddedEventLoop.advanceTime(by: .seconds(10))
        #expect(connection.ledger.statistics.bytesSent.rawValue == 9 * 65_536)
    }

    @Test func waitsForItsLatencyBeforeEachAnswerAndNotBeforeAnObservers() throws {
        let connection = try Connection(latencyNanoseconds: 80_000_000)
        for target in ["/bytes/1KiB?rate=unlimited", "/healthz", "/nothing", "/bytes/1KiB?rate=unlimited&delay=20"] {
            try connection.ask(target)
            let wait = target.contains("delay") ? 100 : 80
            connection.channel.embeddedEventLoop.advanceTime(by: .nanoseconds(Int64(wait) * 1_000_000 - 1))
            #expect(try connection.channel.readOutbound(as: HTTPServerResponsePart.self) == nil, "\(target)")
            connection.channel.embeddedEventLoop.advanceTime(by: .nanoseconds(1))
            #expect(try connection.answer().isComplete, "\(target)")
        }
        try connection.ask("/stats")
        connection.channel.embeddedEventLoop.run()
        #expect(try connection.answer().isComplete)
    }

    @Test func saysNothingToAClientThatLeavesBeforeItsAnswerIsDue() throws {
        let connection = try Connection(latencyNanoseconds: 80_000_000)
        try connection.ask("/bytes/1KiB")
        try connection.channel.close().wait()
        connection.channel.embeddedEventLoop.advanceTime(by: .seconds(1))
        #expect(connection.ledger.statistics.bytesSent == .zero)
        #expect(connection.ledger.statistics.openConnections == 0)
    }
}

struct RouteTests {
    @Test(arguments: [
        ("/healthz", Route.health),
        ("/stats", .statistics),
        ("/requests", .requests(path: nil)),
        ("/requests?path=/bytes/1", .requests(path: "/bytes/1")),
        ("/assets/hero.jpg", .image(.hero)),
        ("/assets/hero-progressive.jpg?trial=3", .image(.heroProgressive)),
        ("/%61ssets/hero.jpg", .image(.hero)),
        ("/gallery/01.jpg?rate=1MiB", .image(LibraryImage.gallery[0])),
        ("/gallery/manifest.json", .manifest),
        ("http://127.0.0.1:1/stats", .statistics),
        ("/faults/status/503", .fault(.status(503))),
        ("/faults/redirect/3", .fault(.redirect(3))),
        ("/faults/short", .fault(.short(.init(promised: 65_536, sent: 16_384)))),
        ("/faults/reset?size=2KiB&sent=0", .fault(.reset(.init(promised: 2048, sent: 0)))),
        ("/faults/bomb.jpg", .fault(.bombImage)),
    ])
    func findsWhatItIsFor(target: String, route: Route) throws {
        #expect(try Route(try .make(target)) == route)
    }

    @Test func findsTheSizeAndTheSeedOfGeneratedBytes() throws {
        let expected = Route.computed(ComputedBody(.bytes, checked: 64 << 20, seed: 7))
        #expect(try Route(try .make("/bytes/64MiB?seed=7&seed=8")) == expected)
        #expect(try Route(try .make("/bytes/64%20MiB?seed=7")) == expected)
        #expect(try GeneratedBytes(byteCount: 64 << 20, seed: 7).path == "/bytes/64MiB?seed=7")
        let text = Route.computed(ComputedBody(.text, checked: 1 << 20, seed: 7))
        #expect(try Route(try .make("/text/1024KiB?seed=7")) == text)
        #expect(try GeneratedText(byteCount: 1 << 20, seed: 7).path == "/text/1MiB?seed=7")
        #expect(try GeneratedBytes(byteCount: 1000, seed: 0).path == "/bytes/1000B")
    }

    @Test(arguments: [
        ("/", 404), ("/assets/other.jpg", 404), ("/assets", 404), ("/bytes", 404), ("/stats/x", 404),
        ("/bytes/1?ranges=all", 400), ("/bytes/1?cut=x", 400), ("/bytes/1?cache=-1", 400),
        ("/bytes/1?cache=+1", 400), ("/bytes/1?cache=", 400), ("/bytes/1?changes-after=x", 400),
        ("/bytes/1?delay=60001", 400), ("/bytes/1?delay=1.5", 400),
        ("/assets/hero.jpg?changes-after=1", 400), ("/gallery", 404), ("/gallery/00.jpg", 404),
        ("/gallery/01.png", 404),
        ("/gallery/manifest.json?changes-after=1", 400), ("/assets/gallery-01.jpg", 404), ("/text/64MB", 400),
        ("/text/1?seed=x", 400), ("/text", 404), ("/json", 404), ("/json/1MB", 400),
        ("/sink/x", 404), ("/sink", 405), ("/requests/x", 404),
        ("/faults/none", 404), ("/faults/none/3", 404), ("/faults", 404),
        ("/bytes/64MB", 400), ("/bytes/2TiB", 400), ("/bytes/1?seed=-1", 400), ("/bytes/1?seed=x", 400),
        ("/bytes/1?rate=0", 400), ("/bytes/1?rate=60MB", 400), ("/bytes/1?encoding=br", 400),
        ("/faults/status/100", 400), ("/faults/status/600", 400), ("/faults/redirect/0", 400),
        ("/faults/short?size=1&sent=2", 400), ("/faults/stall?size=1&sent=1", 400),
        ("/auth", 404), ("/auth/ntlm", 404), ("/redirect", 404), ("/redirect/302", 400), ("/redirect/304?to=/", 400),
        ("/redirect/x?to=/", 400), ("/redirect/302?to=", 400), ("/redirect/302?to=/a%0D%0AX:", 400),
        ("/redirect/302?to=/&cookie=a%3B", 400), ("/redirect/302?to=/&cookie=", 400),
    ])
    func isRefusedWithTheStatusThatSaysWhy(target: String, status: UInt) throws {
        let plan = try #require(Answer.make(try .make(target)).plan)
        #expect(plan.status.code == status)
        #expect(plan.headers.first(name: "Content-Type") == "text/plain; charset=utf-8")
        #expect(try plan.bytes().count > 10)
    }

    @Test(arguments: [HTTPMethod.POST, .PUT, .DELETE, .OPTIONS])
    func mayOnlyBeGETOrHEAD(method: HTTPMethod) throws {
        let plan = try #require(Answer.make(try .make("/bytes/1", method: method)).plan)
        #expect(plan.status == .methodNotAllowed)
        #expect(plan.headers["Allow"] == ["GET, HEAD"])
    }

    @Test(arguments: ["", "foo", "*", "/%", "/%2", "/%zz", "/%FF", "/a?b=%G0"])
    func hasATargetThatCanBeDecoded(target: String) {
        #expect(OriginRequest(HTTPRequestHead(version: .http1_1, method: .GET, uri: target)) == nil)
    }

    @Test func choosesItsRateAndItsFraming() throws {
        let standard = TransferRate.standard
        let plain = try Delivery(try .make("/bytes/1"), standard: standard)
        #expect(plain == Delivery(rate: standard))
        let chosen = try Delivery(try .make("/bytes/1?rate=unlimited&encoding=chunked"), standard: standard)
        #expect(chosen == Delivery(rate: .unlimited, encoding: .chunked))
        let old = try Delivery(try .make("/bytes/1?encoding=chunked", version: .http1_0), standard: standard)
        #expect(old.encoding == .length, "HTTP/1.0 has no chunks")
        let cut = try Delivery(try .make("/bytes/1?encoding=chunked&chunk=16B"), standard: standard)
        #expect(cut.chunk == ByteCount(16))
    }

    @Test(arguments: ["chunk=16", "encoding=gzip&chunk=16", "encoding=chunked&chunk=0", "encoding=chunked&chunk=x"])
    func refusesASizeOfChunksForABodyThatHasNone(query: String) throws {
        let request = try OriginRequest.make("/bytes/1?\(query)")
        #expect(throws: Refusal.self) { try Delivery(request, standard: .standard) }
    }
}

struct ResponseTests {
    private let target = "/bytes/1000?seed=1"

    private func plan(_ headers: HTTPHeaders = [:], method: HTTPMethod = .GET) throws -> ResponsePlan {
        try #require(Answer.make(try .make(target, method: method, headers: headers)).plan)
    }

    private func tag() throws -> String {
        try #require(try plan().headers.first(name: "ETag"))
    }

    @Test func isWholeUnlessAPartIsAskedFor() throws {
        let plan = try plan()
        #expect(plan.status == .ok)
        #expect(plan.headers["Content-Length"] == ["1000"])
        #expect(plan.headers["Accept-Ranges"] == ["bytes"])
        #expect(plan.headers["Content-Type"] == ["application/octet-stream"])
        #expect(plan.content?.range == 0..<1000)
        #expect(plan.rate == .standard)
    }

    @Test func isThePartThatIsAskedFor() throws {
        let part = try plan(["Range": "bytes=100-199"])
        #expect(part.status == .partialContent)
        #expect(part.headers["Content-Range"] == ["bytes 100-199/1000"] && part.headers["Content-Length"] == ["100"])
        #expect(try part.bytes() == Array(plan().bytes()[100..<200]))
        let beyond = try plan(["Range": "bytes=1000-"])
        #expect(beyond.status == .rangeNotSatisfiable && beyond.headers["Content-Range"] == ["bytes */1000"])
        let head = try plan(["Range": "bytes=0-9"], method: .HEAD)
        #expect(head.status == .ok && head.headers["Content-Length"] == ["1000"])
        // No range, and several of them.
        for values in [["bytes=0-1,4-5"], ["lines=1-2"], ["bytes=5-1"], ["bytes=0-1", "bytes=2-3"]] {
            #expect(try plan(HTTPHeaders(values.map { ("Range", $0) })).status == .ok, "\(values)")
        }
    }

    @Test func isNotModifiedForAClientThatHasIt() throws {
        let tag = try tag()
        for value in [tag, "*", "\"x\", \(tag)", "W/\(tag)"] {
            let plan = try plan(["If-None-Match": value])
            #expect(plan.status == .notModified)
            #expect(plan.content == nil)
            #expect(plan.headers["ETag"] == [tag])
        }
        #expect(try plan(["If-None-Match": "\"x\""]).status == .ok)
    }

    @Test func isAPartOnlyOfWhatTheClientAlreadyHas() throws {
        let tag = try tag()
        #expect(try plan(["Range": "bytes=0-9", "If-Range": tag]).status == .partialContent)
        for value in ["\"x\"", "W/\(tag)", "Wed, 21 Oct 2015 07:28:00 GMT"] {
            let plan = try plan(["Range": "bytes=0-9", "If-Range": value])
            #expect(plan.status == .ok)
            #expect(plan.content?.range == 0..<1000)
        }
    }

    @Test func hasAnotherTagForOtherBytes() throws {
        let tags = try ["/bytes/1000?seed=1", "/bytes/1000?seed=2", "/bytes/1001?seed=1"].map { target in
            let request = try OriginRequest.make(target)
            return try #require(Answer.make(request).plan?.headers.first(name: "ETag"))
        }
        #expect(Set(tags).count == 3)
        #expect(tags.allSatisfy { $0.hasPrefix("\"") && $0.hasSuffix("\"") && $0.count > 2 })
    }
}

struct BombImageTests {
    @Test func isASmallFileWhoseSegmentsAreInOrder() throws {
        let bytes = BombImage.bytes
        #expect(bytes.count == BombImage.byteCount)
        #expect(bytes.prefix(2) == [0xFF, 0xD8])
        #expect(bytes.suffix(2) == [0xFF, 0xD9])
        var markers: [UInt8] = []
        var offset = 2
        while markers.last != 0xDA {
            try #require(bytes[offset] == 0xFF)
            markers.append(bytes[offset + 1])
            if bytes[offset + 1] == 0xC2 {
                let sides = bytes[offset + 5..<offset + 9]
                #expect(Array(sides) == [0x4E, 0x20, 0x4E, 0x20], "20000 is 0x4E20")
            }
            offset += 2 + Int(bytes[offset + 2]) << 8 + Int(bytes[offset + 3])
        }
        #expect(markers == [0xE0, 0xDB, 0xC2, 0xC4, 0xDA])
    }
}
