// SPDX-License-Identifier: Apache-2.0

import Foundation
import MemProbe
import NIOHTTP1
import Origin
import Testing

@Suite("A compressed body", .serialized, .timeLimit(.minutes(5)))
struct CompressionTests {
    private func plan(_ headers: HTTPHeaders, version: HTTPVersion = .http1_1) throws -> ResponsePlan {
        let request = try OriginRequest.make("/text/1MiB?encoding=gzip", version: version, headers: headers)
        return try #require(Answer.make(request).plan)
    }

    @Test(
        "is only for those who accept it",
        arguments: [
            ("gzip", true), ("gzip, deflate", true), ("deflate, GZIP;q=0.1", true), ("x-gzip", true), ("*", true),
            ("br;q=1.0, *;q=0.5", true), ("", false), ("identity", false), ("gzip;q=0", false),
            ("gzip; q=0.000", false),
            ("*;q=0", false), ("gzip;q=0, *", false), ("gzipped", false), ("deflate, br", false), ("gzip;q=x", false),
        ])
    func negotiation(value: String, isCompressed: Bool) throws {
        let plan = try plan(["Accept-Encoding": value])
        #expect(plan.headers["Vary"] == ["Accept-Encoding"])
        #expect(plan.headers["Content-Encoding"] == (isCompressed ? ["gzip"] : []))
        #expect(plan.headers["Transfer-Encoding"] == (isCompressed ? ["chunked"] : []))
        #expect(plan.headers["Content-Length"] == (isCompressed ? [] : ["1048576"]))
        #expect(plan.headers["Accept-Ranges"] == (isCompressed ? [] : ["bytes"]))
    }

    @Test("is not for a client that knows no chunks")
    func old() throws {
        #expect(!(try plan(["Accept-Encoding": "gzip"], version: .http1_0)).headers.contains(name: "Content-Encoding"))
        let plain = try #require(Answer.make(try .make("/text/1MiB?encoding=length")).plan)
        #expect(plain.headers["Content-Length"] == ["1048576"] && !plain.headers.contains(name: "Vary"))
    }

    @Test("has a tag of its own and no parts")
    func tag() throws {
        let tag = try #require(try plan(["Accept-Encoding": "gzip"]).headers.first(name: "ETag"))
        #expect(try plan([:]).headers.first(name: "ETag") != tag)
        #expect(try plan(["Accept-Encoding": "gzip", "If-None-Match": tag]).status == .notModified)
        #expect(try plan(["If-None-Match": tag]).status == .ok)
        #expect(try plan(["Accept-Encoding": "gzip", "Range": "bytes=0-9"]).status == .ok)
    }

    @Test(
        "is the text again when curl expands it", arguments: ["/text/20000001B", "/text/0B", "/bytes/1MiB", "/text/1"])
    func expanded(path: String) async throws {
        try await withOrigin { origin in
            let plain = try await Curl.fetch(origin.baseURL + path)
            let expanded = try await Curl.fetch("--compressed", origin.baseURL + path + "?encoding=gzip")
            #expect(expanded.exitStatus == 0 && expanded.has("Content-Encoding", "gzip"))
            #expect(expanded.body == plain.body)
            let other = try await Curl.fetch(origin.baseURL + path + "?encoding=gzip")
            #expect(!other.header.lowercased().contains("content-encoding") && other.body == plain.body)
        }
    }

    @Test("is counted, paced and cut as it goes over the wire")
    func wire() async throws {
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

    @Test("answers HEAD without a body and keeps the connection")
    func head() async throws {
        try await withOrigin { origin in
            let url = origin.baseURL + "/text/1MiB?encoding=gzip"
            let answer = try await Curl.fetch("-I", "--compressed", url, "-o", "/dev/null", origin.baseURL + "/text/1")
            #expect(answer.exitStatus == 0 && answer.has("Vary", "Accept-Encoding"))
            #expect(origin.statistics().connectionsAccepted == 1)
        }
    }

    @Test("reads the same whatever the pieces are", arguments: [1, 7, 1000, 65_536, 1 << 20])
    func pieces(size: Int) throws {
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
