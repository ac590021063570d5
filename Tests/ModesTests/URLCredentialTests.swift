// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import Testing
import TrialKit

/// The user and the password of a URL reach the origin that they are for, and no other one, wherever redirects lead.
@Suite(.timeLimit(.minutes(5)))
struct URLCredentialTests {
    /// The base64 of `user:open sesame`.
    private static let field = "authorization: basic dXNlcjpvcGVuIHNlc2FtZQ==".lowercased()
    private static let followers = ModeUnderTest.redirected.filter { !$0.blocks }

    /// A redirect to another origin, whose port is put in the place of `PORT`.
    static let departures = [
        "//127.0.0.1:PORT/elsewhere", "http://127.0.0.1:PORT/elsewhere", "//localhost:PORT/elsewhere",
        "http://other:own@127.0.0.1:PORT/elsewhere", "//user:open%20sesame@127.0.0.1:PORT/elsewhere",
        "HTTP://127.0.0.1:PORT/elsewhere",
    ]

    /// Fetches as a trial does whose request has the header fields that are given, if any.
    private func fetch(
        _ url: URL, with test: ModeUnderTest, carrying details: RequestDetails? = nil,
        method: FetchRequest.Method = .get, trusting authority: String? = nil, in folder: String
    ) async throws -> FetchedBody {
        var settings = FetchSettings.test()
        settings.target = try TargetRequest.of(details, for: url)
        settings.certificateAuthorityPath = authority
        return try await test.mode.withFetcher(settings) { fetcher in
            try await fetcher.fetch(FetchRequest(url: url, method: method, destination: folder + "/body"))
        }
    }

    private func url(_ port: Int, _ path: String = "/body") throws -> URL {
        try #require(URL(string: "http://user:open%20sesame@127.0.0.1:\(port)\(path)"))
    }

    private func expectNoCredentials(in requests: [String], of test: ModeUnderTest) {
        #expect(!requests.isEmpty, "\(test.mode.name)")
        for request in requests.map({ $0.lowercased() }) {
            #expect(!request.contains("authorization:") && !request.contains("sesame"), "\(test.mode.name): \(request)")
        }
    }

    @Test(arguments: followers, departures)
    func theyStayWithTheirOrigin(test: ModeUnderTest, departure: String) async throws {
        try await withJourney(departure) { server, other, folder in
            let body = try await fetch(try url(server.port), with: test, in: folder)
            #expect(body.byteCount == TestBody.bytes.count)
            #expect(server.received.count == 3 && other.received.count == 1, "\(test.mode.name)")
            for request in server.received.prefix(2) {
                #expect(request.lowercased().contains(Self.field), "\(test.mode.name): \(request)")
            }
            expectNoCredentials(in: other.received, of: test)
            expectNoCredentials(in: Array(server.received.suffix(1)), of: test)
        }
    }

    /// The header alone, as the warm-up of a foreign URL asks for it.
    @Test(arguments: followers) func theHeadOfAnotherOriginIsAskedForWithoutThem(test: ModeUnderTest) async throws {
        let head = LoopbackServer.Response("200 OK", ["Content-Length: 5"])
        try await withServer(answering: head) { other, folder in
            let away = "//127.0.0.1:\(other.port)/elsewhere"
            try await withServer(answering: .init("302 Found", ["Location: \(away)"])) { server, _ in
                _ = try await fetch(try url(server.port), with: test, method: .head, in: folder)
                #expect(server.received.first?.lowercased().contains(Self.field) == true)
                expectNoCredentials(in: other.received, of: test)
            }
        }
    }

    /// Without the sessions of URLSession, which trust an authority in a trial program alone: no test redirects them to https.
    @Test(arguments: followers.filter(\.trustsByName))
    func anotherSchemeIsAnotherOrigin(test: ModeUnderTest) async throws {
        try await HeadRecorder.serving { other in
            try await withTemporaryFolder { folder in
                let away = "https://127.0.0.1:\(other.port)/elsewhere"
                try await withServer(answering: .redirect(302, to: away)) { server, _ in
                    let details = RequestDetails(fields: [.init(name: "Cookie", value: "sesame")])
                    let body = try await fetch(
                        try url(server.port), with: test, carrying: details, trusting: other.authorityPath, in: folder)
                    #expect(body.byteCount == 4)
                    #expect(server.received.first?.lowercased().contains(Self.field) == true)
                    expectNoCredentials(in: [other.heads], of: test)
                }
            }
        }
    }

    @Test(arguments: ModeUnderTest.all.filter(\.blocks))
    func aModeThatCannotKeepThemRefuses(test: ModeUnderTest) async throws {
        try await withServer(answering: TestBody.whole) { server, folder in
            let failure = await test.failure(fetching: try url(server.port), to: folder)
            #expect(failure?.detail.contains("password") == true && server.received.isEmpty)
            #expect(failure?.detail.contains("sesame") == false)
        }
    }

    @Test func aRequestWithoutSecretsBelongsToNoOrigin() throws {
        let plain = try #require(URL(string: "http://127.0.0.1/"))
        #expect(try TargetRequest.of(nil, for: plain) == nil)
        for text in ["http://user@127.0.0.1/", "http://:word@127.0.0.1/"] {
            #expect(try TargetRequest.of(nil, for: try #require(URL(string: text))) != nil)
        }
    }
}

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
}
