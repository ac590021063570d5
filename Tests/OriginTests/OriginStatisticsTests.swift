// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import MemProbe
import NIOHTTP1
import Origin
import Runs
import Testing

@Suite("The origin's own count", .serialized, .timeLimit(.minutes(5)))
struct OriginStatisticsTests {
    @Test("is the same over HTTP and in Swift, and does not count its reader")
    func count() async throws {
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

    @Test("tells apart a thousand paths and no more")
    func paths() {
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

    @Test("of 200 requests at the same time is 200")
    func concurrent() async throws {
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

    @Test("loses a client that leaves in the middle")
    func leaving() async throws {
        try await withOrigin { origin in
            let answer = try await Curl.fetch("-m", "0.3", origin.baseURL + "/bytes/1GiB?rate=10MiB")
            #expect(answer.exitStatus == 28)
            let isQuiet = try await eventually { origin.statistics().openConnections == 0 }
            #expect(isQuiet)
            #expect(origin.statistics().bytesSent < .mebibytes(100))
        }
    }

    @Test("stands still while a client does not read")
    func stuckClient() async throws {
        try await withOrigin { origin in
            let client = try connect(to: origin.port)
            defer { close(client) }
            let request = Array("GET /bytes/1GiB HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8)
            #expect(write(client, request, request.count) == request.count)
            // What the two kernels buffer is taken; everything else waits in the generator.
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
