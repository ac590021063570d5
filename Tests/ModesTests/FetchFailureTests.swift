// SPDX-License-Identifier: Apache-2.0

import CurlModes
import Foundation
import Glibc
import Testing
import TrialKit

/// Failures of every mode for responses without an asset.
@Suite(.timeLimit(.minutes(5)))
struct FetchFailureTests {
    private func failure(
        of test: ModeUnderTest, path: String = "/body", idleTimeoutSeconds: Int = 200,
        answering response: LoopbackServer.Response
    ) async throws -> FetchFailure? {
        try await withServer(answering: response) { server, folder in
            let failure = await test.failure(
                fetching: try server.url(path), to: folder, idleTimeoutSeconds: idleTimeoutSeconds)
            #expect(failure?.detail.contains(folder) != true, "a path of this machine in a failure")
            return failure
        }
    }

    @Test(
        arguments: ModeUnderTest.configurable,
        ["404 Not Found", "401 Unauthorized", "500 Internal Server Error"])
    func aStatusWithoutAnAssetIsAFailure(test: ModeUnderTest, status: String) async throws {
        let failure = try await failure(
            of: test, answering: .init(status, ["Content-Length: 9"], body: Array("not found".utf8)))
        #expect(failure == FetchFailure(.httpStatus, "status \(status.prefix(3))"))
    }

    @Test(arguments: ModeUnderTest.all)
    func aPortOnWhichNobodyListensRefuses(test: ModeUnderTest) async throws {
        // Bound and not listening: nobody else can take the port meanwhile.
        let descriptor = try LoopbackPort.bind()
        defer { close(descriptor) }
        let url = try #require(URL(string: "http://127.0.0.1:\(try LoopbackPort.number(of: descriptor))/body"))
        try await withTemporaryFolder { folder in
            #expect(await test.failure(fetching: url, to: folder)?.code == .connectionRefused)
        }
    }

    struct BadAnswer: CustomTestStringConvertible {
        let testDescription: String
        let response: LoopbackServer.Response
        let code: FetchFailure.Code
    }

    private static let chunkOfUnfinished =
        Array("\(String(TestBody.unfinished.count, radix: 16))\r\n".utf8) + TestBody.unfinished + [13, 10]
    static let badAnswers = [
        BadAnswer(testDescription: "short", response: TestBody.cut, code: .truncatedBody),
        BadAnswer(
            testDescription: "without a last chunk",
            response: .init("200 OK", ["Transfer-Encoding: chunked"], body: chunkOfUnfinished), code: .truncatedBody),
        BadAnswer(
            testDescription: "no HTTP", response: .init(raw: "SSH-2.0-OpenSSH_9.2\r\n\r\n"), code: .malformedResponse),
        BadAnswer(testDescription: "nothing", response: .init(raw: ""), code: .connectionLost),
    ]

    @Test(arguments: ModeUnderTest.all, badAnswers)
    func anAnswerWithoutItsBodyIsAFailure(test: ModeUnderTest, answer: BadAnswer) async throws {
        #expect(try await failure(of: test, answering: answer.response)?.code == answer.code)
    }

    /// The answer to an upload may be empty; whether that of a GET may be is for the harness to decide.
    @Test(arguments: ModeUnderTest.all, ["200 OK", "204 No Content"])
    func anEmptyAnswerIsAnEmptyBody(test: ModeUnderTest, status: String) async throws {
        let fields = status.hasPrefix("204") ? [] : ["Content-Length: 0"]
        try await withServer(answering: .init(status, fields)) { server, folder in
            let body = try await test.result(of: try server.url("/body"), to: folder).get()
            #expect(try body.byteCount == 0 && body.bytes() == [])
        }
    }

    @Test(arguments: ModeUnderTest.configurable)
    func anOriginThatFallsSilentIsGivenUp(test: ModeUnderTest) async throws {
        let failure = try await failure(of: test, idleTimeoutSeconds: 1, answering: TestBody.stalled)
        #expect(failure?.code == .idleTimeout)
    }

    @Test(arguments: ModeUnderTest.all)
    func aHostWithoutAnAddressIsNotFound(test: ModeUnderTest) async throws {
        // A name of RFC 6761 that no resolver may know.
        let url = try #require(URL(string: "http://nobody.invalid/body"))
        try await withTemporaryFolder { folder in
            #expect(await test.failure(fetching: url, to: folder)?.code == .hostNotFound)
        }
    }

    @Test(arguments: ModeUnderTest.redirected)
    func aRedirectLoopIsGivenUp(test: ModeUnderTest) async throws {
        let failure = try await failure(
            of: test, answering: .init("302 Found", ["Location: /body", "Content-Length: 0"]))
        #expect(failure?.code == .tooManyRedirects)
    }

    @Test(arguments: ModeUnderTest.overTLS)
    func anOriginThatSpeaksNoTLSIsAFailureOfTLS(test: ModeUnderTest) async throws {
        try await withServer(answering: .init("200 OK", body: [1])) { server, folder in
            let url = try #require(URL(string: "https://127.0.0.1:\(server.port)/body"))
            #expect(await test.failure(fetching: url, to: folder)?.code == .tls)
        }
    }

    @Test(arguments: ModeUnderTest.raw)
    func aRawModeFollowsNoRedirects(test: ModeUnderTest) async throws {
        let failure = try await failure(
            of: test, answering: .init("302 Found", ["Location: /elsewhere", "Content-Length: 0"]))
        #expect(failure == FetchFailure(.httpStatus, "status 302: mode \(test.mode.name) follows no redirects"))
    }
}

/// System errors as failures, and failures of single modes.
@Suite(.timeLimit(.minutes(5)))
struct ClientErrorTests {
    @Test(arguments: [
        (ECONNREFUSED, FetchFailure.Code.connectionRefused), (ECONNRESET, .connectionLost), (EPIPE, .connectionLost),
        (ETIMEDOUT, .idleTimeout), (EAGAIN, .idleTimeout), (ENETUNREACH, .unreachable), (EHOSTUNREACH, .unreachable),
        (ENOSPC, .file), (ENOENT, .file), (EACCES, .file), (EINVAL, .other),
    ])
    func anErrorOfTheSystemHasItsCode(number: CInt, code: FetchFailure.Code) {
        let failure = FetchFailure(errno: number, "it failed")
        #expect(failure == FetchFailure(code, "it failed: \(String(cString: strerror(number)))"))
    }

    /// As libcurl's manual page `libcurl-errors` numbers them.
    @Test(arguments: [
        (1 as UInt32, FetchFailure.Code.malformedResponse), (5, .hostNotFound), (6, .hostNotFound),
        (7, .connectionRefused), (8, .malformedResponse), (16, .malformedResponse), (18, .truncatedBody),
        (23, .file), (27, .other), (28, .idleTimeout), (35, .tls), (47, .tooManyRedirects), (52, .connectionLost),
        (53, .tls), (54, .tls), (55, .connectionLost), (56, .connectionLost), (58, .tls), (59, .tls), (60, .tls),
        (61, .malformedResponse), (64, .tls), (66, .tls), (77, .tls), (83, .tls), (92, .malformedResponse),
        (99, .other),
    ])
    func aCodeOfLibcurlHasItsMeaning(number: UInt32, code: FetchFailure.Code) {
        #expect(FetchFailure(ofCurl: number).code == code)
        #expect(FetchFailure(ofCurl: number).detail.hasSuffix(" (libcurl \(number))"))
    }

    /// A file that a delegate makes by itself must not hold the page that tells of a refusal.
    @Test
    func aBodyThatIsNoAssetIsNotWritten() async throws {
        let test = ModeUnderTest(mode: try ModeUnderTest.named("ahc-file"))
        let response = LoopbackServer.Response("404 Not Found", ["Content-Length: 9"], body: Array("not found".utf8))
        try await withServer(answering: response) { server, folder in
            let url = try server.url()
            #expect(await test.failure(fetching: url, to: folder)?.code == .httpStatus)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty)
        }
    }

    /// TLS is another scheme to a mode that speaks HTTP over a plain socket.
    @Test(
        arguments: ModeUnderTest.all.flatMap { test in
            ["ftp", "file"].map { (test, $0) } + (test.mode.schemes.contains("https") ? [] : [(test, "https")])
        })
    func anotherSchemeIsRefusedWithoutConnecting(test: ModeUnderTest, scheme: String) async throws {
        try await withServer(answering: .init("200 OK", body: [1])) { server, folder in
            let url = try #require(URL(string: "\(scheme)://127.0.0.1:\(server.port)/body"))
            let failure = await test.failure(fetching: url, to: folder)
            #expect(failure?.code == .unsupportedScheme)
            #expect(server.mostUnansweredAtOnce == 0, "not even to wait for a greeting")
            guard test.mode.name.hasPrefix("raw") else { return }
            #expect(failure?.detail == "mode \(test.mode.name) speaks plain http only")
        }
    }

    @Test(arguments: ModeUnderTest.configurable)
    func theCredentialsOfAURLAreSent(test: ModeUnderTest) async throws {
        try await withServer(answering: .init("200 OK", ["Content-Length: 1"], body: [7])) { server, folder in
            let url = try #require(URL(string: "http://user:open%20sesame@127.0.0.1:\(server.port)/body"))
            _ = try await test.fetch(url, to: folder)
            // The field of RFC 7617 for "user:open sesame".
            let field = "authorization: Basic dXNlcjpvcGVuIHNlc2FtZQ==\r\n".lowercased()
            #expect(server.received.first?.lowercased().contains(field) == true)
        }
    }
}
