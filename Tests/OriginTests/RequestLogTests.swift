// SPDX-License-Identifier: Apache-2.0

import Foundation
import MemProbe
import Origin
import Testing

@Suite(.serialized, .timeLimit(.minutes(5)))
struct RequestLogTests {
    /// The requests once none of them is under way.
    private func ended(_ origin: OriginServer, count: Int) async throws -> [RequestRecord] {
        let areOver = try await eventually {
            origin.requests().count == count && origin.requests().allSatisfy { $0.ending != nil }
        }
        #expect(areOver)
        return origin.requests()
    }

    @Test func saysWhoAskedForWhatAndWhatBecameOfIt() async throws {
        try await withOrigin { origin in
            let began = MonotonicClock.now()
            let url = origin.baseURL + "/b%79tes/1MiB?seed=3"
            let answer = try await Curl.fetch(
                "-r", "0-999", "-u", "user:secret", "-H", "Cookie: secret", "-H", "X-Many: 1", "-H", "X-Many: 2", url,
                "--next", "-q", "-s", "--noproxy", "*", "-o", "/dev/null", "-I", origin.baseURL + "/faults/status/404")
            #expect(answer.exitStatus == 0)
            let requests = try await ended(origin, count: 2)
            let first = try #require(requests.first)
            #expect(first.number == 1 && first.connection == 1)
            #expect(first.method == "GET" && first.path == "/bytes/1MiB" && first.query == ["seed": "3"])
            #expect(first.http == "1.1")
            #expect(first.headers["range"] == "bytes=0-999")
            #expect(first.headers["x-many"] == "1, 2")
            #expect(first.headers["authorization"] == "…" && first.headers["cookie"] == "…")
            #expect(first.status == 206 && first.bytesSent == ByteCount(1000) && first.bytesReceived == .zero)
            #expect(first.ending == .complete)
            let end = try #require(first.endedNanoseconds)
            #expect(began < first.beganNanoseconds && first.beganNanoseconds < end)
            #expect(end < MonotonicClock.now())
            #expect(requests[1].number == 2 && requests[1].method == "HEAD" && requests[1].status == 404)
            #expect(requests[1].bytesSent == .zero)
        }
    }

    @Test func isTheSameOverHTTPOfOnePathIfWantedAndDoesNotHoldItsReaders() async throws {
        try await withOrigin { origin in
            _ = try await Curl.fetch(origin.baseURL + "/requests", "-o", "/dev/null", origin.baseURL + "/stats")
            _ = try await Curl.fetch(origin.baseURL + "/bytes/1KiB", "-o", "/dev/null", origin.baseURL + "/bytes/2KiB")
            let requests = try await ended(origin, count: 2)
            #expect(requests.map(\.connection) == [1, 1], "its readers' connections have no number")
            let all = try await Curl.fetch(origin.baseURL + "/requests")
            #expect(all.has("Content-Type", "application/json"))
            #expect(try JSONDecoder().decode([RequestRecord].self, from: all.body) == requests)
            let some = try await Curl.fetch(origin.baseURL + "/requests?path=/bytes/2KiB")
            #expect(try JSONDecoder().decode([RequestRecord].self, from: some.body) == [requests[1]])
            let objects = try #require(try JSONSerialization.jsonObject(with: all.body) as? [[String: Any]])
            #expect(
                Set(objects[0].keys) == [
                    "number", "connection", "method", "path", "query", "headers", "http", "status",
                    "began_nanoseconds", "ended_nanoseconds", "bytes_sent", "bytes_received", "ending",
                ])
            #expect(origin.statistics().connectionsAccepted == 1 && origin.statistics().requests == 2)
        }
    }

    @Test(arguments: [["-I"], ["--http1.0"]])
    func hasALengthForThoseWhoNeedOne(options: [String]) async throws {
        try await withOrigin { origin in
            _ = try await Curl.fetch(origin.baseURL + "/bytes/1KiB")
            _ = try await ended(origin, count: 1)
            let whole = try await Curl.fetch(origin.baseURL + "/requests")
            #expect(whole.has("Transfer-Encoding", "chunked"))
            let answer = try await Curl.fetch(options[0], origin.baseURL + "/requests")
            #expect(answer.exitStatus == 0 && answer.status == 200)
            #expect(answer.has("Content-Length", "\(whole.body.count)"))
        }
    }

    @Test(arguments: [0, 1, 2, 500], [1, 7, 32 * 1024])
    func isEncodedOneRequestAtATime(count: Int, room: Int) throws {
        let records = (0..<count).map { number in
            RequestRecord(
                number: number + 1, connection: 1, method: "GET", path: "/bytes/1", query: ["n": "\(number)"],
                headers: ["x": String(repeating: "\"/é", count: number % 50)], beganNanoseconds: number)
        }
        let reader = RequestsReader(records)
        var buffer = [UInt8](repeating: 0, count: room)
        var text: [UInt8] = []
        while !reader.isAtEnd {
            let made = try buffer.withUnsafeMutableBytes { try reader.read(into: $0) }
            #expect(made == room || reader.isAtEnd, "fewer only at the end")
            #expect(reader.heldByteCount < 1024)
            text += buffer[..<made]
        }
        #expect(try JSONDecoder().decode([RequestRecord].self, from: Data(text)) == records)
        #expect(text.last == UInt8(ascii: "\n"))
        #expect(try RequestsReader(records).byteCount() == text.count)
    }

    @Test func knowsACutFromAClientThatLeaves() async throws {
        try await withOrigin { origin in
            _ = try await Curl.fetch(origin.baseURL + "/bytes/1MiB?cut=100KiB")
            _ = try await Curl.fetch(origin.baseURL + "/faults/reset")
            _ = try await Curl.fetch("-m", "1", origin.baseURL + "/bytes/100MiB?rate=1MiB")
            _ = try await Curl.fetch("-m", "1", origin.baseURL + "/faults/silent")
            _ = try await Curl.fetch("-m", "1", origin.baseURL + "/bytes/1?delay=60000")
            _ = try await Curl.fetch(origin.baseURL + "/faults/malformed")
            let requests = try await ended(origin, count: 6)
            #expect(requests.map(\.ending) == [.cut, .cut, .abandoned, .abandoned, .abandoned, .cut])
            #expect(requests.map(\.status) == [200, 200, 200, nil, nil, nil])
            #expect(requests[0].bytesSent == .kibibytes(100))
            #expect(requests[2].bytesSent > .zero && requests[2].bytesSent < .mebibytes(100))
            #expect(requests.map(\.number) == Array(1...6))
            #expect(requests.map(\.connection) == Array(1...6))
        }
    }

    @Test func saysThatARequestIsCutThatTheOriginsEndInterrupts() async throws {
        let origin = try await OriginServer.start(OriginConfiguration(library: TestLibrary().library()))
        async let silent = Curl.fetch(origin.baseURL + "/faults/silent")
        let hasBegun = try await eventually { origin.requests().count == 1 }
        #expect(hasBegun && origin.requests()[0].ending == nil && origin.requests()[0].endedNanoseconds == nil)
        try await origin.stop()
        #expect(origin.requests()[0].ending == .cut)
        _ = try await silent
    }

    @Test func knowsHowManyCameAtTheSameTime() async throws {
        try await withOrigin { origin in
            let answer = try await Curl.fetch(
                "-Z", "--parallel-immediate", "--parallel-max", "7", origin.baseURL + "/bytes/1KiB?delay=2000&n=[1-7]")
            #expect(answer.exitStatus == 0)
            _ = try await Curl.fetch(origin.baseURL + "/bytes/1KiB")
            #expect(origin.statistics().mostConcurrentRequests == 7)
            #expect(origin.statistics().mostOpenConnections >= 7)
            #expect(origin.statistics().connectionsAccepted == 8)
        }
    }

    @Test func keepsTheLast20000() async throws {
        try await withOrigin { origin in
            let answer = try await Curl.fetch(
                "-Z", "--parallel-max", "2", "-o", "/dev/null", origin.baseURL + "/faults/empty?n=[1-20050]")
            #expect(answer.exitStatus == 0)
            #expect(try await ended(origin, count: 20_000).map(\.number) == Array(51...20_050))
        }
    }
}

/// An interrupted download, fetched with curl.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct InterruptedDownloadTests {
    @Test func canBeResumed() async throws {
        try await withOrigin { origin in
            let url = origin.baseURL + "/bytes/1MiB?cut=300KiB"
            let part = try await Curl.fetch(url)
            #expect(part.exitStatus == 18 && part.status == 200)
            #expect(part.body.count == 300 * 1024)
            let rest = try await Curl.fetch("-r", "\(300 * 1024)-", url)
            #expect(rest.exitStatus == 0 && rest.status == 206)
            let whole = try await Curl.fetch(origin.baseURL + "/bytes/1MiB")
            #expect(part.body + rest.body == whole.body)
        }
    }
}
