// SPDX-License-Identifier: Apache-2.0

import Foundation
import MemProbe
import Origin
import Runs
import Testing

@Suite("The origin, fetched with curl", .serialized, .timeLimit(.minutes(5)))
struct OriginServingTests {
    private let folder = TestLibrary()

    @Test(
        "serves the bytes whose hash the asset has",
        arguments: ["64MiB", "0B", "1B", "text-3000000B", "text-0B", "json-3000000B", "hero", "hero-progressive"])
    func hash(name: String) async throws {
        let asset = try folder.library().asset(named: name, seed: name.hasPrefix("hero") ? 0 : 7)
        try await withOrigin(folder) { origin in
            let answer = try await Curl.fetch(origin.baseURL + asset.location)
            #expect(answer.exitStatus == 0 && answer.status == 200)
            #expect(answer.has("Content-Length", "\(asset.byteCount?.rawValue ?? -1)"))
            #expect(answer.has("Content-Type", asset.mediaType ?? ""))
            #expect(try answer.sha256() == asset.sha256)
        }
    }

    @Test("serves ranges that make up the whole", arguments: ["1000001B", "text-1000001B", "json-1000001B", "hero"])
    func ranges(name: String) async throws {
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

    @Test("answers HEAD with the length and nothing else, and keeps the connection")
    func head() async throws {
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

    @Test("serves chunks to whoever asks for them")
    func chunked() async throws {
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

    @Test("answers 304, 404, 405 and 400 and goes on")
    func statuses() async throws {
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

    @Test("sends a paced body in the time that its rate says")
    func pacing() async throws {
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

    @Test("keeps a connection for the next request unless the client asks otherwise")
    func keepAlive() async throws {
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

    @Test("makes an image only when it is asked for, and once for many clients")
    func imageOnDemand() async throws {
        try await withOrigin(folder) { origin in
            #expect(folder.encodings == 0)
            let answer = try await Curl.fetch("-Z", origin.baseURL + "/assets/hero.jpg?[1-8]")
            #expect(answer.exitStatus == 0)
            #expect(folder.encodings == 1)
        }
    }

    @Test("says 500 where the image cannot be made")
    func unusableFolder() async throws {
        let library = AssetLibrary(cacheDirectory: "/dev/null/assets")
        let origin = try await OriginServer.start(OriginConfiguration(library: library))
        let answer = try await Curl.fetch(origin.baseURL + "/assets/hero.jpg")
        try await origin.stop()
        #expect(answer.status == 500)
        #expect(String(decoding: answer.body, as: UTF8.self) == "the image could not be made: file\n")
    }
}
