// SPDX-License-Identifier: Apache-2.0

import Foundation
import MemProbe
import Origin
import Runs
import Testing

@Suite("The origin over HTTP/2", .serialized, .timeLimit(.minutes(5)))
struct HTTP2Tests {
    /// Starts an origin, writes its authority to a file and lets a test use both.
    private func withOrigin2(
        rate: TransferRate = .unlimited,
        _ body: (_ origin: OriginServer, _ url: String, _ trust: [String]) async throws -> Void
    ) async throws {
        try await withOrigin(rate: rate, offersHTTP2: true) { origin in
            let file = FileManager.default.temporaryDirectory.appendingPathComponent("ca-\(UUID().uuidString).pem")
            defer { try? FileManager.default.removeItem(at: file) }
            try Data(#require(origin.certificateAuthorityPEM).utf8).write(to: file)
            try await body(origin, #require(origin.http2BaseURL), ["--cacert", file.path])
        }
    }

    /// The requests once none of them is under way.
    private func ended(_ origin: OriginServer) async throws -> [RequestRecord] {
        let areOver = try await eventually { origin.requests().allSatisfy { $0.ending != nil } }
        #expect(areOver)
        return origin.requests()
    }

    @Test("is offered only where it is wanted")
    func offered() async throws {
        try await withOrigin(offersTLS: true) { origin in #expect(origin.http2BaseURL == nil) }
    }

    @Test("is negotiated by address: the other one stays with HTTP/1.1")
    func negotiated() async throws {
        let asset = try TestLibrary().library().asset(named: "20000001B")
        try await withOrigin2 { origin, url, trust in
            for (options, base, version) in [
                (["--http2"], url, "2"), (["--http1.1"], url, "1.1"),
                (["--http2"], try #require(origin.secureBaseURL), "1.1"),
            ] {
                let answer = try await Curl.fetch(trust + options + [base + asset.location])
                #expect(answer.exitStatus == 0 && answer.header.hasPrefix("HTTP/\(version) 200"))
                #expect(try answer.sha256() == asset.sha256)
            }
            let requests = try await ended(origin)
            #expect(requests.map(\.http) == ["2", "1.1", "1.1"] && requests.map(\.connection) == [1, 2, 3])
            #expect(requests.allSatisfy { $0.bytesSent == ByteCount(20_000_001) && $0.ending == .complete })
        }
    }

    @Test("carries the streams of a connection at once")
    func streams() async throws {
        try await withOrigin2(rate: TransferRate(parsing: "4MiB") ?? .unlimited) { origin, url, trust in
            let others = (1...9).flatMap { ["-o", "/dev/null", "\(url)/bytes/1MiB?seed=\($0)"] }
            let first = try await Curl.fetch(
                trust + ["--http2", "--parallel", "--parallel-max", "10", url + "/bytes/1MiB"] + others)
            #expect(first.exitStatus == 0 && first.body.count == 1 << 20)
            let requests = try await ended(origin)
            #expect(requests.count == 10 && requests.allSatisfy { $0.http == "2" && $0.ending == .complete })
            #expect(Set(requests.map(\.connection)) == [1], "curl waits for the first connection to share it")
            let isQuiet = try await eventually { origin.statistics().openConnections == 0 }
            let statistics = origin.statistics()
            #expect(isQuiet && statistics.connectionsAccepted == 1 && statistics.mostOpenConnections == 1)
            #expect(statistics.mostConcurrentRequests > 1 && statistics.bytesSent == .mebibytes(10))
        }
    }

    @Test("paces, cuts, compresses and takes uploads as HTTP/1.1 does")
    func everything() async throws {
        try await withOrigin2 { origin, url, trust in
            let trust = trust + ["--http2"]
            let cut = try await Curl.fetch(trust + [url + "/bytes/1MiB?cut=300KiB"])
            #expect(cut.exitStatus == 92 && cut.body.count == 300 * 1024, "the stream was not closed cleanly")
            let rest = try await Curl.fetch(trust + ["-r", "307200-", url + "/bytes/1MiB?cut=300KiB"])
            let whole = try await Curl.fetch(origin.baseURL + "/bytes/1MiB")
            #expect(cut.body + rest.body == whole.body)
            let paced = try await Curl.fetch(trust + [url + "/bytes/1MiB?rate=4MiB"])
            #expect(paced.seconds >= 0.249 && paced.body == whole.body)
            let text = try await Curl.fetch(trust + ["--compressed", url + "/text/1MiB?encoding=gzip"])
            #expect(text.body.count == 1 << 20)
            let unframed = try await Curl.fetch(trust + [url + "/bytes/1MiB?encoding=chunked"])
            #expect(unframed.body == whole.body && !unframed.header.lowercased().contains("transfer-encoding"))
            let sunk = try await Curl.fetch(trust + ["--data-binary", "abc", url + "/sink"])
            #expect(String(decoding: sunk.body, as: UTF8.self).contains("\"bytes\":3,"))
            #expect(try await ended(origin).map(\.ending) == [.cut] + Array(repeating: .complete, count: 6))
        }
    }

    @Test(
        "has the faults that frames can carry",
        arguments: [
            FaultCase("status/404", status: 404, bytes: 14), FaultCase("redirect/3", bytes: 1024),
            FaultCase("stall", exit: 28, bytes: 16 * 1024), FaultCase("silent", exit: 28, status: 0, bytes: 0),
            FaultCase("short", exit: 92, bytes: 16 * 1024),
        ])
    func faults(fault: FaultCase) async throws {
        try await withOrigin2 { _, url, trust in
            let patience = fault.exitStatus == 28 ? ["-m", "2"] : []
            let answer = try await Curl.fetch(trust + ["--http2", "-L"] + patience + [url + "/faults/" + fault.path])
            #expect(answer.exitStatus == fault.exitStatus && answer.status == fault.status)
            #expect(answer.body.count == fault.byteCount)
        }
    }

    @Test("refuses what exists in HTTP/1.1 only", arguments: ["malformed", "escape-header", "tight-header"])
    func refused(path: String) async throws {
        try await withOrigin2 { _, url, trust in
            let answer = try await Curl.fetch(trust + ["--http2", url + "/faults/" + path])
            #expect(answer.exitStatus == 0 && answer.status == 501)
        }
    }

    @Test("holds a bounded part of a body for a client that reads slowly")
    func slowClient() async throws {
        try await withOrigin2 { origin, url, trust in
            let answer = try await Curl.fetch(
                trust + ["--http2", "--limit-rate", "100k", "-m", "2", url + "/bytes/1GiB"])
            #expect(answer.exitStatus == 28)
            let request = try #require(try await ended(origin).first)
            #expect(request.ending == .abandoned && request.bytesSent < .mebibytes(64))
        }
    }
}
