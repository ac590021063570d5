// SPDX-License-Identifier: Apache-2.0

import Foundation
import FoundationNetworking
import Synchronization
import Testing
import TrialKit

/// The user's headers, method and body reach the target, and only the target, in every mode that supports them.
@Suite(.timeLimit(.minutes(5)))
struct RequestDetailsTests {
    private static let secrets = ["Bearer s3cret-of-the-test", "c00kie-of-the-test", "k3y-of-the-test"]
    private static let fields = [
        RequestDetails.Field(name: "Authorization", value: secrets[0]),
        RequestDetails.Field(name: "Cookie", value: "session=" + secrets[1]),
        RequestDetails.Field(name: "X-Api-Key", value: secrets[2]),
        RequestDetails.Field(name: "Accept", value: "text/plain;q=0.5"),
    ]
    private static let able = ModeUnderTest.able(to: .requestDetails)
    /// Those of them that follow redirects.
    private static let followers = able.filter { able in
        ModeUnderTest.redirected.contains { $0.mode.name == able.mode.name }
    }

    private func lines(of request: String) -> [String] {
        request.split(separator: "\r\n").dropFirst().map { line in
            let parts = line.split(separator: ":", maxSplits: 1)
            return parts[0].lowercased() + ":" + (parts.count > 1 ? parts[1].trimmingCharacters(in: .whitespaces) : "")
        }
    }

    private func expectSecrets(
        in request: String?, of test: ModeUnderTest, at location: SourceLocation = #_sourceLocation
    ) {
        let lines = lines(of: request ?? "")
        for field in Self.fields {
            let line = field.name.lowercased() + ":" + field.value
            #expect(lines.count { $0 == line } == 1, "\(test.mode.name): \(lines)", sourceLocation: location)
            let named = lines.count { $0.hasPrefix(field.name.lowercased() + ":") }
            #expect(named == 1, "\(test.mode.name) sends \(field.name) twice", sourceLocation: location)
        }
    }

    private func expectNoSecret(in request: String?, at location: SourceLocation = #_sourceLocation) {
        let request = request ?? ""
        #expect(!request.isEmpty, sourceLocation: location)
        for name in ["authorization:", "cookie:", "x-api-key:", "s3cret", "c00kie", "k3y-of"] {
            #expect(!request.lowercased().contains(name), "\(request)", sourceLocation: location)
        }
    }

    private func result(
        of test: ModeUnderTest, _ details: RequestDetails, for target: URL, fetching url: URL? = nil,
        method: FetchRequest.Method = .get, times: Int = 1, in folder: String
    ) async throws -> Result<FetchedBody, FetchFailure> {
        var settings = FetchSettings.test()
        settings.target = try TargetRequest(details, for: target)
        return try await test.mode.withFetcher(settings) { fetcher in
            var result = Result<FetchedBody, FetchFailure>.success(.nothing)
            for number in 1...times {
                let path = "\(folder)/body-\(number)"
                result = await fetcher.result(
                    of: FetchRequest(url: url ?? target, method: method, destination: path))
            }
            return result
        }
    }

    @Test(arguments: able) func headersArriveOnceAndWinOverTheModesOwn(test: ModeUnderTest) async throws {
        try await withServer(answering: TestBody.whole) { server, folder in
            let details = RequestDetails(fields: Self.fields)
            let body = try await result(of: test, details, for: server.url(), in: folder).get()
            #expect(body.byteCount == TestBody.bytes.count)
            #expect(server.received.first?.hasPrefix("GET /body HTTP/1.1\r\n") == true)
            expectSecrets(in: server.received.first, of: test)
            // The header alone, as the warm-up of a foreign target asks for it.
            _ = try await result(of: test, details, for: server.url(), method: .head, in: folder).get()
            #expect(server.received.last?.hasPrefix("HEAD /body HTTP/1.1\r\n") == true)
            expectSecrets(in: server.received.last, of: test)
        }
    }

    @Test(arguments: able, ["POST", "PUT", "PATCH"])
    func methodAndBodyArrive(test: ModeUnderTest, method: String) async throws {
        let sent = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let arrived = Mutex<[UInt8]>([])
        let script: LoopbackServer.UploadScript = { _, body in
            arrived.withLock { $0 = body }
            return TestBody.whole
        }
        try await withServer(uploads: script) { server, folder in
            let file = folder + ".sent"
            try Data(sent).write(to: URL(fileURLWithPath: file))
            defer { try? FileManager.default.removeItem(atPath: file) }
            let details = RequestDetails(fields: Self.fields, method: method, body: try .of(file))
            let body = try await result(of: test, details, for: server.url(), in: folder).get()
            #expect(body.byteCount == TestBody.bytes.count)
            #expect(arrived.withLock { $0 } == sent, "\(test.mode.name)")
            let request = server.received.first ?? ""
            #expect(request.hasPrefix("\(method) /body HTTP/1.1\r\n"), "\(request)")
            let lines = lines(of: request)
            #expect(
                lines.filter { $0.hasPrefix("content-") }.sorted() == [
                    "content-length:200000", "content-type:application/octet-stream",
                ])
            #expect(!lines.contains { $0.hasPrefix("transfer-encoding:") || $0.hasPrefix("expect:") })
            expectSecrets(in: request, of: test)
        }
    }

    @Test(arguments: able) func aPostWithoutABodySaysSo(test: ModeUnderTest) async throws {
        try await withServer(answering: TestBody.whole) { server, folder in
            let details = RequestDetails(method: "POST")
            let body = try await result(of: test, details, for: server.url(), in: folder).get()
            #expect(body.byteCount == TestBody.bytes.count)
            let lines = lines(of: server.received.first ?? "")
            #expect(lines.contains("content-length:0") && !lines.contains { $0.hasPrefix("content-type:") }, "\(lines)")
        }
    }

    /// As the warm-up goes to the embedded origin.
    @Test(arguments: able) func anotherOriginIsAskedAsEver(test: ModeUnderTest) async throws {
        try await withServer(answering: TestBody.whole) { server, folder in
            try await withServer(answering: TestBody.whole) { other, _ in
                let details = RequestDetails(fields: Self.fields, method: "POST")
                _ = try await result(of: test, details, for: server.url(), fetching: other.url(), in: folder).get()
                #expect(other.received.first?.hasPrefix("GET /body HTTP/1.1\r\n") == true)
                expectNoSecret(in: other.received.first)
            }
        }
    }

    @Test(arguments: followers) func aRedirectToAnotherOriginTakesNothingAlong(test: ModeUnderTest) async throws {
        try await withJourney("//127.0.0.1:PORT/elsewhere") { server, other, folder in
            let details = RequestDetails(fields: Self.fields)
            let body = try await result(of: test, details, for: server.url(), in: folder).get()
            #expect(body.byteCount == TestBody.bytes.count)
            #expect(server.received.count == 3 && other.received.count == 1)
            for request in server.received.prefix(2) { expectSecrets(in: request, of: test) }
            expectNoSecret(in: other.received.first)
            // Not even where the other origin leads back: it may choose the path there.
            expectNoSecret(in: server.received.last)
        }
    }

    /// The control of the one above: what it tests does not come by itself.
    @Test func aSessionWithoutAGuardTakesFieldsToOthers() async throws {
        try await withServer(answering: TestBody.whole) { other, _ in
            let elsewhere = try other.url("/elsewhere").absoluteString
            try await withServer(answering: .redirect(302, to: elsewhere)) { server, _ in
                var request = URLRequest(url: try server.url())
                request.setValue(Self.secrets[2], forHTTPHeaderField: "X-Api-Key")
                let session = URLSession(configuration: .ephemeral)
                _ = try await session.data(for: request)
                session.finishTasksAndInvalidate()
                #expect(other.received.first?.contains(Self.secrets[2]) == true)
            }
        }
    }

    @Test(arguments: followers) func aPostBecomesAGetOrStaysWhereItIs(test: ModeUnderTest) async throws {
        try await withServer(answering: TestBody.whole) { other, folder in
            let elsewhere = try other.url("/elsewhere").absoluteString
            let script: LoopbackServer.Script = { request in
                if request.contains(" /see-other ") { return .redirect(303, to: "/result") }
                return request.contains(" /keep ") ? .redirect(307, to: elsewhere) : TestBody.whole
            }
            let file = folder + ".sent"
            try Data("what is sent".utf8).write(to: URL(fileURLWithPath: file))
            defer { try? FileManager.default.removeItem(atPath: file) }
            let details = RequestDetails(fields: Self.fields, method: "POST", body: try .of(file))
            try await withServer(script) { server, _ in
                _ = try await result(of: test, details, for: server.url("/see-other"), in: folder).get()
                let last = server.received.last ?? ""
                #expect(last.hasPrefix("GET /result ") && !last.lowercased().contains("content-"), "\(last)")
                expectSecrets(in: last, of: test)
                let kept = try await result(of: test, details, for: server.url("/keep"), in: folder)
                // That it is not followed is said with the reason.
                #expect {
                    try kept.get()
                } throws: {
                    let detail = ($0 as? FetchFailure)?.detail ?? ""
                    return detail.hasPrefix("status 307") && detail.count > 20
                }
                #expect(other.received.isEmpty, "\(other.received)")
            }
        }
    }

    @Test(arguments: able) func aCookieOfOneAnswerIsNotSentWithTheNext(test: ModeUnderTest) async throws {
        let script: LoopbackServer.Script = { _ in
            LoopbackServer.Response(
                "200 OK", ["Set-Cookie: taste=sweet; Path=/", "Content-Length: 3"], body: [0x61, 0x62, 0x63])
        }
        try await withServer(script) { server, folder in
            let details = RequestDetails(fields: [Self.fields[2]])
            _ = try await result(of: test, details, for: server.url(), times: 3, in: folder).get()
            #expect(server.received.count == 3)
            for request in server.received { #expect(!request.lowercased().contains("cookie:"), "\(request)") }
        }
    }

    @Test func aBodyThatHasChangedIsNotSent() throws {
        try withTemporaryFolder { folder in
            let file = folder + "/sent"
            let url = try #require(URL(string: "http://127.0.0.1/"))
            try Data("one".utf8).write(to: URL(fileURLWithPath: file))
            let details = RequestDetails(method: "POST", body: try .of(file))
            #expect(try TargetRequest(details, for: url).body == Data("one".utf8))
            try Data("two".utf8).write(to: URL(fileURLWithPath: file))
            #expect { try TargetRequest(details, for: url) } throws: { error in
                let detail = (error as? FetchFailure)?.detail ?? ""
                return detail.contains("has changed") && !detail.contains("/")
            }
        }
    }
}

extension RequestDetails.Body {
    /// The body in a file, as the harness describes it: its hash is that of a tool of the system.
    fileprivate static func of(_ path: String) throws -> RequestDetails.Body {
        let text = try TestProcess.run("/usr/bin/sha256sum", [path]).text
        let count = try Data(contentsOf: URL(fileURLWithPath: path)).count
        return RequestDetails.Body(path: path, byteCount: count, sha256: String(text.prefix(64)))
    }
}
