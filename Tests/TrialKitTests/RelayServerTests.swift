// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hashing
import Synchronization
import Testing
import TrialKit

/// A server and its readers in one process: every byte arrives, and what does not is seen.
@Suite(.timeLimit(.minutes(10)))
struct RelayServerTests {
    /// Longer than the sockets hold, and not a multiple of any buffer.
    private static let bytes = (0..<300_007).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
    private static let readerCount = 8

    private struct Seen {
        var answer: ReadersAnswer
        var answered: Int
        var failure: FetchFailure?
    }

    /// Lets readers ask a server for bodies, until all have come.
    private func read(
        _ relay: any Relay, requests: Int, paces: [Int] = [], closes: Bool = false
    ) async throws -> Seen {
        let count = Answered()
        let server = try RelayServer(relay, in: "/nowhere") { count.add() }
        defer { server.close() }
        server.serve(try #require(URL(string: "http://127.0.0.1/")))
        var order = ReadersOrder(port: server.port, requests: requests, readers: Self.readerCount, paces: paces)
        order.closes = closes
        let readers = ReaderGroup(order)
        readers.start()
        while !readers.hasEnded { try await Task.sleep(for: .milliseconds(1)) }
        // A reader has its last byte before the server knows that it is sent.
        let end = ContinuousClock.now + .seconds(10)
        while readers.answer.failure == nil, server.failure == nil, count.value < requests, .now < end {
            try await Task.sleep(for: .milliseconds(1))
        }
        return Seen(answer: readers.answer, answered: count.value, failure: server.failure)
    }

    private static var whole: ReadersAnswer.Body {
        ReadersAnswer.Body(byteCount: bytes.count, sha256: SHA256.hexadecimal(of: bytes))
    }

    @Test(arguments: [true, false], [true, false])
    func everyReaderGetsEveryByte(announces: Bool, closes: Bool) async throws {
        let relay = MadeUpRelay(Self.bytes, announces: announces)
        let seen = try await read(relay, requests: 100, closes: closes)
        #expect(seen.failure == nil && seen.answer.failure == nil)
        #expect(seen.answer.body == Self.whole && seen.answer.different == nil)
        #expect(seen.answer.requests == 100 && seen.answered == 100 && relay.asked == 100)
        #expect(seen.answer.medianNanoseconds > 0)
        #expect(seen.answer.slowestPercentNanoseconds >= seen.answer.medianNanoseconds)
    }

    @Test func aReaderTakesAsLongAsItIsToldTo() async throws {
        let seen = try await read(MadeUpRelay(Self.bytes), requests: Self.readerCount, paces: [80])
        #expect(seen.answer.body == Self.whole)
        #expect(seen.answer.medianNanoseconds >= 80_000_000)
    }

    /// All of them come with the head, in one piece.
    @Test(arguments: [1, 7, 1024])
    func aReaderOfAShortBodyTakesAsLong(size: Int) async throws {
        let seen = try await read(MadeUpRelay(Array(Self.bytes[..<size])), requests: Self.readerCount, paces: [80])
        #expect(seen.answer.body?.byteCount == size)
        #expect(seen.answer.medianNanoseconds >= 80_000_000)
    }

    @Test(arguments: [0, 1])
    func ofTwoBodiesNoneIsTheBody(wrong: Int) throws {
        let bodies = ["aa", "bb"].map { ReadersAnswer.Body(byteCount: 2, sha256: $0) }
        var answer = ReadersAnswer()
        #expect(try answer.agreedBody() == nil)
        answer.body = bodies[wrong]
        #expect(try answer.agreedBody() == bodies[wrong])
        answer.different = bodies[1 - wrong]
        #expect(throws: FetchFailure.self) { try answer.agreedBody() }
    }

    @Test func oneWrongByteOfOneBodyIsSeen() async throws {
        let seen = try await read(MadeUpRelay(Self.bytes, flaw: (23, .wrongByte)), requests: 50)
        #expect(seen.failure == nil)
        let bodies = [seen.answer.body, seen.answer.different]
        #expect(bodies.contains(Self.whole))
        #expect(bodies.allSatisfy { $0?.byteCount == Self.bytes.count })
        #expect(seen.answer.different != nil && seen.answer.different != seen.answer.body)
    }

    @Test func aBodyThatIsCutIsSeenOnBothSides() async throws {
        let seen = try await read(MadeUpRelay(Self.bytes, flaw: (23, .cut)), requests: 50)
        #expect(seen.failure?.code == .truncatedBody)
        let lengths = [seen.answer.body, seen.answer.different].compactMap { $0?.byteCount }
        #expect(lengths.min() ?? .max < Self.bytes.count)
    }

    @Test func theControlPassesOnTheSameBytes() async throws {
        let seen = try await read(BufferingRelay(MadeUpRelay(Self.bytes, announces: false)), requests: 20)
        #expect(seen.answer.body == Self.whole && seen.answer.different == nil)
        let cut = try await read(BufferingRelay(MadeUpRelay(Self.bytes, flaw: (5, .cut))), requests: 20)
        #expect(cut.failure?.code == .truncatedBody)
    }

    @Test func aPortWithoutAServerIsAFailure() async throws {
        let server = try RelayServer(MadeUpRelay([1]), in: "/nowhere") {}
        server.close()
        let readers = ReaderGroup(ReadersOrder(port: 1, requests: 5, readers: 2, paces: []))
        readers.start()
        while !readers.hasEnded { try await Task.sleep(for: .milliseconds(1)) }
        #expect(readers.answer.requests == 0)
        #expect(readers.answer.failure?.contains("connecting failed") == true)
    }
}

private final class Answered: Sendable {
    private let count = Atomic(0)

    var value: Int { count.load(ordering: .relaxed) }

    func add() { count.add(1, ordering: .relaxed) }
}

/// The parsing of requests by the server, and of responses by its readers.
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
    func requestsForOtherThingsThanABodyAreRefused(text: String) {
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

/// Passes on bytes that nobody fetched.
final class MadeUpRelay: Relay {
    enum Flaw {
        case wrongByte
        /// The second half does not come, and why not is told.
        case cut
    }

    let remark: String? = nil

    private let bytes: [UInt8]
    private let announces: Bool
    private let flaw: (number: Int, Flaw)?
    private let count = Atomic(0)

    /// - Parameters:
    ///   - announces: Whether the length is told before.
    ///   - flaw: What is wrong with which body, counted from 1.
    init(_ bytes: [UInt8], announces: Bool = true, flaw: (number: Int, Flaw)? = nil) {
        self.bytes = bytes
        self.announces = announces
        self.flaw = flaw
    }

    var asked: Int { count.load(ordering: .relaxed) }

    func relay(_ request: FetchRequest, to sink: any BodySink) async throws(FetchFailure) {
        let number = count.add(1, ordering: .relaxed).newValue
        var body = bytes
        let flaw = flaw?.number == number ? flaw?.1 : nil
        if flaw == .wrongByte { body[body.count / 2] ^= 1 }
        try await sink.begin(byteCount: announces ? body.count : nil)
        try await sink.send(body[..<(body.count / 2)])
        if flaw == .cut { throw FetchFailure(.truncatedBody, "cut on purpose") }
        try await sink.send(body[(body.count / 2)...])
    }

    func invalidate() async {}
}
