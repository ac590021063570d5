// SPDX-License-Identifier: Apache-2.0

import CurlModes
import Foundation
import Glibc
import Testing
import TrialKit

/// What the errors of the system mean, and what a mode does that only the tests of all modes do not show.
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

    @Test(arguments: ModeUnderTest.toFile)
    func anOlderAndLongerFileKeepsNoTail(test: ModeUnderTest) async throws {
        let body = Array("a short body".utf8)
        try await withServer(answering: .init("200 OK", ["Content-Length: \(body.count)"], body: body)) {
            server, folder in
            try Data(TestBody.bytes).write(to: URL(fileURLWithPath: folder + "/body"))
            #expect(try await test.fetch(try server.url(), to: folder).bytes() == body)
        }
    }

    /// A file that a delegate makes by itself must not hold the page that tells of a refusal.
    @Test
    func nothingIsWrittenOfABodyThatIsNoAsset() async throws {
        let test = try #require(ModeUnderTest.all.first { $0.mode.name == "ahc-file" })
        let response = LoopbackServer.Response("404 Not Found", ["Content-Length: 9"], body: Array("not found".utf8))
        try await withServer(answering: response) { server, folder in
            let url = try server.url()
            #expect(await test.failure(fetching: url, to: folder)?.code == .httpStatus)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty)
        }
    }

    @Test(arguments: ModeUnderTest.all, ["ftp", "file"])
    func anotherSchemeIsRefusedWithoutConnecting(test: ModeUnderTest, scheme: String) async throws {
        try await withServer(answering: .init("200 OK", body: [1])) { server, folder in
            let url = try #require(URL(string: "\(scheme)://127.0.0.1:\(server.port)/body"))
            #expect(await test.failure(fetching: url, to: folder)?.code == .unsupportedScheme)
            #expect(server.mostUnansweredAtOnce == 0, "not even to wait for a greeting")
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
