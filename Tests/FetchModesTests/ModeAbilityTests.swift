// SPDX-License-Identifier: Apache-2.0

import FetchBenchKit
import FetchModes
import Foundation
import Testing

/// What modes that say they are able to do something really do.
@Suite(.timeLimit(.minutes(1)))
struct ModeAbilityTests {
    private static func modes(_ ability: ModeAbility) -> [ModeUnderTest] {
        ModeUnderTest.all.filter { $0.mode.abilities.contains(ability) }
    }

    private func fetch(
        _ requests: [FetchRequest], with test: ModeUnderTest, _ change: (inout FetchSettings) -> Void = { _ in }
    ) async throws -> [FetchedBody] {
        var settings = FetchSettings(verification: .sha256, idleTimeoutSeconds: 20)
        change(&settings)
        let fetcher = try test.mode.makeFetcher(settings)
        let bodies: [FetchedBody]
        do {
            bodies = try await fetcher.fetch(requests)
        } catch {
            await fetcher.invalidate()
            throw error
        }
        await fetcher.invalidate()
        return bodies
    }

    @Test(arguments: modes(.concurrency))
    func bodiesThatAreFetchedAtOnceStandInTheOrderOfTheirRequests(test: ModeUnderTest) async throws {
        let script: LoopbackServer.Script = { request in
            let body = Array("the body of \(request.prefix { $0 != "\r\n" })".utf8)
            return .init("200 OK", ["Content-Length: \(body.count)"], body: body)
        }
        try await withServer(script) { server, folder in
            let requests = try (0..<6).map { number in
                FetchRequest(url: try server.url("/\(number)"), destination: folder + "/\(number)")
            }
            let texts = try await fetch(requests, with: test).map { String(decoding: try $0.bytes(), as: UTF8.self) }
            #expect(texts == (0..<6).map { "the body of GET /\($0) HTTP/1.1" })
        }
    }

    /// Compressed by `python3 -c 'import gzip; gzip.compress(b"a body that was compressed on its way, " * 50, mtime=0)'`.
    private static let compressed: [UInt8] = [
        31, 139, 8, 0, 0, 0, 0, 0, 2, 3, 75, 84, 72, 202, 79, 169, 84, 40, 201, 72, 44, 81, 40, 79, 44, 86, 72, 206,
        207, 45, 40, 74, 45, 46, 78, 77, 81, 200, 207, 83, 200, 44, 41, 6, 138, 86, 234, 40, 36, 142, 42, 27, 85, 54,
        170, 108, 84, 217, 168, 178, 81, 101, 163, 202, 232, 165, 12, 0, 237, 167, 81, 225, 158, 7, 0, 0,
    ]

    @Test(arguments: modes(.gzip))
    func aBodyThatIsCompressedOnItsWayIsAskedForAndDecoded(test: ModeUnderTest) async throws {
        let fields = ["Content-Encoding: gzip", "Content-Length: \(Self.compressed.count)"]
        try await withServer(answering: .init("200 OK", fields, body: Self.compressed)) { server, folder in
            let request = FetchRequest(url: try server.url(), destination: folder + "/body")
            let body = try #require(try await fetch([request], with: test) { $0.acceptsGzip = true }.first)
            let text = String(repeating: "a body that was compressed on its way, ", count: 50)
            #expect(try body.bytes() == Array(text.utf8))
            #expect(body.byteCount == text.utf8.count)
            let asked = try #require(server.received.first).lowercased().split(separator: "\r\n")
            let encodings = asked.filter { $0.hasPrefix("accept-encoding:") }
            #expect(encodings.count == 1 && encodings.first?.contains("gzip") == true)
        }
    }

    @Test(arguments: modes(.slowConsumer))
    func aConsumerThatIsSlowTakesItsTimeForEachPiece(test: ModeUnderTest) async throws {
        let (size, count, delay) = (65_536, 64, 10_000_000)
        let script: LoopbackServer.Script = { _ in
            var response = LoopbackServer.Response("200 OK", ["Content-Length: \(size * count)"])
            response.pieces += [[UInt8]](repeating: [UInt8](repeating: 7, count: size), count: count)
            return response
        }
        try await withServer(script) { server, folder in
            let request = FetchRequest(url: try server.url(), destination: folder + "/body")
            let start = ContinuousClock.now
            let body = try #require(
                try await fetch([request], with: test) { $0.consumerDelayNanoseconds = delay }.first)
            // No mode takes more than 64 KiB at once.
            #expect(ContinuousClock.now - start >= .nanoseconds(delay * count))
            #expect(body.byteCount == size * count)
        }
    }

    private static let trusting = ModeUnderTest.overTLS.filter { test in
        ["ahc-", "nio-", "curl-"].contains { test.mode.name.hasPrefix($0) }
    }

    @Test(arguments: trusting)
    func anAuthorityThatIsNamedIsTrustedAndNoOther(test: ModeUnderTest) async throws {
        try await TLSServer.serving(TestBody.bytes) { server in
            try await withTemporaryFolder { folder in
                let request = FetchRequest(url: try server.url(), destination: folder + "/body")
                let body = try #require(
                    try await fetch([request], with: test) { $0.certificateAuthorityPath = server.authorityPath }
                        .first)
                #expect(try body.bytes() == TestBody.bytes)
                let failure = await test.failure(fetching: try server.url(), to: folder)
                #expect(failure?.code == .tls)
                #expect(failure?.detail.contains("/") == false)
            }
        }
    }
}
