// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import TrialKit

/// The dimensions of a plan that mean something to some modes only.
@Suite(.timeLimit(.minutes(5)))
struct SessionSettingsTests {
    private func request(_ server: LoopbackServer, _ folder: String) throws -> FetchRequest {
        FetchRequest(url: try server.url(), destination: folder + "/body")
    }

    /// ``TestBody/unfinished``, printed by `printf %s 'what arrives …' | gzip -n9 | base64 -w0`.
    private static let compressed = """
        H4sIAAAAAAACAx3KQQrAMAgEwK/s10y6olAiRGno75P2PLNMCjKnP0yEQtDierEsklBWN6j4nfBxrJj1\
        rR8aR7cN+M4DYkAAAAA=
        """

    @Test(arguments: ModeUnderTest.able(to: .gzip))
    func aCompressedBodyIsAskedForAndDecoded(test: ModeUnderTest) async throws {
        let compressed = Array(try #require(Data(base64Encoded: Self.compressed)))
        let fields = ["Content-Encoding: gzip", "Content-Length: \(compressed.count)"]
        try await withServer(answering: .init("200 OK", fields, body: compressed)) { server, folder in
            let body = try await test.mode.withFetcher(.test { $0.acceptsGzip = true }) { fetcher in
                try await fetcher.fetch(try request(server, folder))
            }
            if test.mode.yieldsBody { #expect(try body.bytes() == TestBody.unfinished) }
            #expect(body.byteCount == TestBody.unfinished.count)
            let fields = try #require(server.received.first).lowercased().split(separator: "\r\n")
            let encodings = fields.filter { $0.hasPrefix("accept-encoding:") }
            #expect(encodings.count == 1 && encodings.allSatisfy { $0.contains("gzip") })
        }
    }

    @Test(arguments: ModeUnderTest.able(to: .gzip))
    func aCompressedBodyShorterThanPromisedIsAFailure(test: ModeUnderTest) async throws {
        let compressed = Array(try #require(Data(base64Encoded: Self.compressed)))
        let fields = ["Content-Encoding: gzip", "Content-Length: \(compressed.count + 1)"]
        try await withServer(answering: .init("200 OK", fields, body: compressed)) { server, folder in
            await #expect(throws: FetchFailure.self) {
                try await test.mode.withFetcher(.test { $0.acceptsGzip = true }) { fetcher in
                    try await fetcher.fetch(try request(server, folder))
                }
            }
        }
    }

    /// Two fetches of what may be cached for a year: the second is no fetch of the cache.
    @Test(arguments: ModeUnderTest.able(to: .sessionConfiguration), SessionKind.allCases)
    func everyFetchReachesTheOriginWhateverTheSession(test: ModeUnderTest, session: SessionKind) async throws {
        let fields = ["Content-Length: 4", "Cache-Control: public, max-age=31536000", "ETag: \"1\""]
        try await withServer(answering: .init("200 OK", fields, body: Array("body".utf8))) { server, folder in
            try await test.mode.withFetcher(.test { $0.session = session }) { fetcher in
                let request = try request(server, folder)
                #expect(try await fetcher.byteCount(of: request) == 4)
                #expect(try await fetcher.byteCount(of: request) == 4)
            }
            #expect(server.received.count == 2)
            #expect(server.received.allSatisfy { !$0.lowercased().contains("if-none-match") })
        }
    }

    @Test(arguments: ModeUnderTest.able(to: .slowConsumer))
    func aSlowConsumerTakesItsTimeForAPiece(test: ModeUnderTest) async throws {
        try await withServer(answering: .init("200 OK", ["Content-Length: 4"], body: [1, 2, 3, 4])) { server, folder in
            let start = ContinuousClock.now
            let body = try await test.mode.withFetcher(.test { $0.consumerDelayNanoseconds = 300_000_000 }) { fetcher in
                try await fetcher.fetch(try request(server, folder))
            }
            #expect(body.byteCount == 4)
            #expect(ContinuousClock.now - start >= .milliseconds(300))
        }
    }
}
