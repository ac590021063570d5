// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import NIOHTTP1
import Origin
import Runs
import Testing

/// The origin, fetched with curl.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct OriginServingTests {
    private let folder = TestLibrary()

    @Test(arguments: ["64MiB", "0B", "1B", "text-3000000B", "text-0B", "json-3000000B", "hero", "hero-progressive"])
    func servesTheBytesWhoseHashTheAssetHas(name: String) async throws {
        let asset = try folder.library().asset(named: name, seed: name.hasPrefix("hero") ? 0 : 7)
        try await withOrigin(folder) { origin in
            let answer = try await Curl.fetch(origin.baseURL + asset.location)
            #expect(answer.exitStatus == 0 && answer.status == 200)
            #expect(answer.has("Content-Length", "\(asset.byteCount?.rawValue ?? -1)"))
            #expect(answer.has("Content-Type", asset.mediaType ?? ""))
            #expect(try answer.sha256() == asset.sha256)
        }
    }

    @Test(arguments: ["1000001B", "text-1000001B", "json-1000001B", "hero"])
    func servesRangesThatMakeUpTheWhole(name: String) async throws {
        let asset = try folder.library().asset(named: name)
        try await withOrigin(folder) { origin in
            var whole = Data()
            for range in ["0-0", "1-99999", "100000-199989", "199990-"] {
                let answer = try await Curl.fetch("-r", range, origin.baseURL + asset.location)
                #expect(answer.status == 206)
                whole += answer.body
            }
            #expect(try MemoryBytes(Array(whole)).sha256() == asset.sha256)
            let tail = try await Curl.fetch("-r", "-10", origin.baseURL + asset.location)
            #expect(tail.body == whole.suffix(10))
            let beyond = try await Curl.fetch("-r", "9999999-", origin.baseURL + asset.location)
            #expect(beyond.status == 416)
            #expect(beyond.has("Content-Range", "bytes */\(asset.byteCount?.rawValue ?? -1)"))
        }
    }

    @Test func answersHEADWithTheLengthAndNothingElse() async throws {
        try await withOrigin { origin in
            let answer = try await Curl.fetch("-I", origin.baseURL + "/bytes/1GiB?encoding=chunked")
            #expect(answer.status == 200)
            #expect(answer.has("Content-Length", "1073741824"))
            let other = origin.baseURL + "/bytes/1"
            let both = try await Curl.fetch("-I", origin.baseURL + "/bytes/1GiB", "-o", "/dev/null", other)
            #expect(both.exitStatus == 0)
            #expect(origin.statistics().connectionsAccepted == 2)
            #expect(origin.statistics().bytesSent == .zero)
        }
    }

    @Test func servesChunksToWhoeverAsksForThem() async throws {
        let asset = try folder.library().asset(named: "3000000B")
        try await withOrigin(folder) { origin in
            let answer = try await Curl.fetch(origin.baseURL + asset.location + "?encoding=chunked")
            #expect(answer.exitStatus == 0)
            #expect(answer.has("Transfer-Encoding", "chunked"))
            #expect(!answer.header.lowercased().contains("content-length"))
            #expect(try answer.sha256() == asset.sha256)
            let raw = try await Curl.fetch("--raw", origin.baseURL + "/bytes/10?encoding=chunked")
            #expect(raw.body.starts(with: Data("a\r\n".utf8)))
        }
    }

    /// Paced in pieces that end within chunks, and in chunks that end within pieces.
    @Test(arguments: [
        ("10", 4, "unlimited"), ("100KiB", 16, "unlimited"), ("3MiB", 100_000, "64MiB"), ("1MiB", 1, "unlimited"),
    ])
    func cutsABodyIntoChunksOfASize(body: String, chunk: Int, rate: String) async throws {
        try await withOrigin { origin in
            let url = origin.baseURL + "/bytes/\(body)?rate=\(rate)&encoding=chunked&chunk=\(chunk)"
            let whole = try await Curl.fetch(origin.baseURL + "/bytes/\(body)")
            let cut = try await Curl.fetch(url)
            #expect(cut.exitStatus == 0 && cut.body == whole.body)
            var rest = try await Curl.fetch("--raw", url).body[...]
            var sizes: [Int] = []
            while let end = rest.firstRange(of: Data("\r\n".utf8)) {
                let size = try #require(Int(String(decoding: rest[..<end.lowerBound], as: UTF8.self), radix: 16))
                sizes.append(size)
                rest = rest[end.upperBound...].dropFirst(size + 2)
            }
            let last = whole.body.count % chunk
            let all = [Int](repeating: chunk, count: whole.body.count / chunk) + (last == 0 ? [0] : [last, 0])
            #expect(sizes == all && rest.isEmpty)
            let sent = origin.requests().map(\.bytesSent.rawValue)
            #expect(sent == [Int](repeating: whole.body.count, count: 3), "chunks are not counted as the body's bytes")
        }
    }

    @Test func answers304404405And400AndGoesOn() async throws {
        try await withOrigin { origin in
            let url = origin.baseURL + "/bytes/100"
            let first = try await Curl.fetch(url)
            let line = try #require(first.header.split(separator: "\r\n").first { $0.hasPrefix("ETag: ") })
            let again = try await Curl.fetch("-H", "If-None-Match: \(line.dropFirst(6))", url)
            #expect(again.status == 304 && again.body.isEmpty)
            #expect(try await Curl.fetch(origin.baseURL + "/nothing").status == 404)
            let posted = try await Curl.fetch("-d", "x", url)
            #expect(posted.status == 405 && !posted.body.isEmpty)
            #expect(try await Curl.fetch("--request-target", "no-path", url).status == 400)
            #expect(try await Curl.fetch(origin.baseURL + "/healthz").status == 204)
        }
    }

    @Test func sendsAPacedBodyInTheTimeThatItsRateSays() async throws {
        try await withOrigin { origin in
            let paced = try await Curl.fetch(origin.baseURL + "/bytes/6MiB?rate=12MiB")
            var unlimited = try await Curl.fetch(origin.baseURL + "/bytes/6MiB")
            #expect(try paced.sha256() == unlimited.sha256())
            // Half a second by the schedule, whose deadlines are never early; lateness is the machine's.
            #expect(paced.seconds >= 0.495)
            #expect(paced.exitStatus == 0, "it ends within half a minute")
            // A busy machine can hold up one fetch that nothing paces, but not every one of them.
            for _ in 0..<20 where unlimited.seconds >= 0.495 {
                unlimited = try await Curl.fetch(origin.baseURL + "/bytes/6MiB")
            }
            #expect(unlimited.seconds < 0.495)
        }
    }

    @Test func keepsAConnectionUnlessTheClientAsksOtherwise() async throws {
        try await withOrigin { origin in
            let url = origin.baseURL + "/bytes/100KiB"
            let rest = ["-o", "/dev/null", url, "-o", "/dev/null", url]
            #expect(try await Curl.fetch([url] + rest).exitStatus == 0)
            #expect(origin.statistics().connectionsAccepted == 1)
            let closed = try await Curl.fetch(["-H", "Connection: close", url] + rest)
            #expect(closed.exitStatus == 0)
            #expect(closed.has("Connection", "close"))
            #expect(origin.statistics().connectionsAccepted == 4)
            #expect(origin.statistics().requests == 6)
        }
    }

    @Test func makesAnImageOnlyWhenItIsAskedForAndOnceForManyClients() async throws {
        try await withOrigin(folder) { origin in
            #expect(folder.encodings == 0)
            let answer = try await Curl.fetch("-Z", origin.baseURL + "/assets/hero.jpg?[1-8]")
            #expect(answer.exitStatus == 0)
            #expect(folder.encodings == 1)
        }
    }

    @Test func says500WhereTheImageCannotBeMade() async throws {
        let library = AssetLibrary(cacheDirectory: "/dev/null/assets")
        let origin = try await OriginServer.start(OriginConfiguration(library: library))
        let answer = try await Curl.fetch(origin.baseURL + "/assets/hero.jpg")
        try await origin.stop()
        #expect(answer.status == 500)
        #expect(String(decoding: answer.body, as: UTF8.self) == "the image could not be made\n")
    }
}

struct OriginConfigurationTests {
    private func configuration(_ host: String, port: Int = 0) -> OriginConfiguration {
        OriginConfiguration(host: host, port: port, library: AssetLibrary(cacheDirectory: "."))
    }

    @Test(arguments: ["127.0.0.1", "127.5.6.7", "::1", "localhost"])
    func isOneOfThisMachineAlone(host: String) throws {
        #expect(try configuration(host).bindAddress() == (host == "localhost" ? "127.0.0.1" : host))
    }

    @Test(arguments: ["0.0.0.0", "::", "192.168.1.1", "127.0.0.1.example.org", "127.1", "128.0.0.1", "example.org", ""])
    func isRefusedWhereOtherMachinesCouldReachIt(host: String) throws {
        #expect(throws: FetchBenchError.self) { try configuration(host).bindAddress() }
        var allowed = configuration(host)
        allowed.allowNonLoopback = true
        #expect(try allowed.bindAddress() == host)
    }

    @Test(arguments: [-1, 65_536]) func hasAPortThatExists(port: Int) {
        #expect(throws: FetchBenchError.self) { try configuration("127.0.0.1", port: port).bindAddress() }
    }

    @Test func isTakenOnlyOnce() async throws {
        let first = try await OriginServer.start(configuration("127.0.0.1"))
        let error = await #expect(throws: FetchBenchError.self) {
            try await OriginServer.start(configuration("127.0.0.1", port: first.port))
        }
        #expect(error?.errno != nil)
        try await first.stop()
        try await first.stop()
    }

    @Test func isFreeAgainWhenTheOriginHasStopped() async throws {
        // Another test may be given the port in between, but hardly every time.
        var second: OriginServer?
        for _ in 0..<5 where second == nil {
            let first = try await OriginServer.start(configuration("127.0.0.1"))
            try await first.stop()
            second = try? await OriginServer.start(configuration("127.0.0.1", port: first.port))
            #expect(second.map { $0.port == first.port } ?? true)
        }
        try await #require(second).stop()
    }
}

@Suite(.serialized, .timeLimit(.minutes(5)))
struct OriginStatisticsTests {
    @Test func isTheSameOverHTTPAndInSwiftAndDoesNotCountItsReader() async throws {
        try await withOrigin { origin in
            for path in ["/bytes/1KiB", "/bytes/1KiB?rate=1GiB", "/faults/status/404"] {
                _ = try await Curl.fetch(origin.baseURL + path)
            }
            _ = try await Curl.fetch("-I", origin.baseURL + "/bytes/1MiB")
            let isQuiet = try await eventually { origin.statistics().openConnections == 0 }
            #expect(isQuiet)
            var expected = OriginStatistics(
                requests: 4, paths: ["/bytes/1KiB": 2, "/bytes/1MiB": 1, "/faults/status/404": 1],
                bytesSent: ByteCount(1024 * 2 + 14), openConnections: 0, connectionsAccepted: 4,
                mostConcurrentRequests: 1)
            // A client may come before the end of the previous one's connection is seen.
            expected.mostOpenConnections = origin.statistics().mostOpenConnections
            #expect((1...4).contains(expected.mostOpenConnections))
            #expect(origin.statistics() == expected)
            let stats = origin.baseURL + "/stats"
            let answer = try await Curl.fetch(stats, "-o", "/dev/null", stats)
            #expect(answer.has("Content-Type", "application/json"))
            #expect(try JSONDecoder().decode(OriginStatistics.self, from: answer.body).requests == 4)
            let keys = try #require(try JSONSerialization.jsonObject(with: answer.body) as? [String: Any]).keys
            #expect(
                Set(keys) == [
                    "requests", "paths", "bytes_sent", "open_connections", "connections_accepted",
                    "most_open_connections", "most_concurrent_requests",
                ])
            #expect(origin.statistics() == expected)
        }
    }

    @Test func tellsApartAThousandPathsAndNoMore() {
        let ledger = Ledger()
        var connection: Int?
        for target in (0..<1500).map({ "/\($0)" }) + ["/0"] {
            let head = HTTPRequestHead(version: .http1_1, method: .GET, uri: target)
            ledger.began(head, OriginRequest(head), on: &connection)
        }
        let statistics = ledger.statistics
        #expect(statistics.requests == 1501)
        #expect(statistics.paths["*"] == 500)
        #expect(statistics.paths["/0"] == 2)
    }

    @Test func countsTwoHundredRequestsAtTheSameTime() async throws {
        try await withOrigin(rate: .standard) { origin in
            let answer = try await Curl.fetch(
                "-Z", "--parallel-immediate", "--parallel-max", "200", "--fail",
                origin.baseURL + "/bytes/10KiB?n=[1-200]")
            #expect(answer.exitStatus == 0)
            #expect(origin.statistics().requests == 200)
            #expect(origin.statistics().bytesSent == .kibibytes(2000))
            let isQuiet = try await eventually { origin.statistics().openConnections == 0 }
            #expect(isQuiet)
        }
    }

    @Test func losesAClientThatLeavesInTheMiddle() async throws {
        try await withOrigin { origin in
            let answer = try await Curl.fetch("-m", "0.3", origin.baseURL + "/bytes/1GiB?rate=10MiB")
            #expect(answer.exitStatus == 28)
            let isQuiet = try await eventually { origin.statistics().openConnections == 0 }
            #expect(isQuiet)
            #expect(origin.statistics().bytesSent < .mebibytes(100))
        }
    }

    @Test func standsStillWhileAClientDoesNotRead() async throws {
        try await withOrigin { origin in
            let client = try connect(to: origin.port)
            defer { close(client) }
            let request = Array("GET /bytes/1GiB HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8)
            #expect(write(client, request, request.count) == request.count)
            // Both kernels' buffers are filled; everything else waits in the generator.
            let hasBegun = try await eventually { origin.statistics().bytesSent > .zero }
            #expect(hasBegun)
            var last = ByteCount.zero
            while origin.statistics().bytesSent > last {
                last = origin.statistics().bytesSent
                try await Task.sleep(for: .milliseconds(200))
            }
            #expect(last < .mebibytes(64))
        }
    }

    /// A connection that nobody reads from.
    private func connect(to port: Int) throws -> CInt {
        let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        let status = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        try #require(status == 0)
        return descriptor
    }
}
