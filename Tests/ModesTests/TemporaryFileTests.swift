// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import TrialKit

/// What is in the temporary folder after a fetch: bodies no other test sends are looked for there.
@Suite(.timeLimit(.minutes(5)))
struct TemporaryFileTests {
    /// A body that is this test's alone.
    private static func uniqueBody() -> [UInt8] {
        Array("the body of \(UUID())".utf8)
    }

    /// The files of download tasks that hold a body.
    private func temporaryFiles(holding body: [UInt8]) throws -> [String] {
        let folder = FileManager.default.temporaryDirectory.path
        return try FileManager.default.contentsOfDirectory(atPath: folder).filter { name in
            name.hasSuffix(".tmp") && FileManager.default.contents(atPath: folder + "/" + name) == Data(body)
        }
    }

    @Test(arguments: ModeUnderTest.all)
    func nothingStaysThereOfABodyThatWasFetched(test: ModeUnderTest) async throws {
        let body = Self.uniqueBody()
        let response = LoopbackServer.Response("200 OK", ["Content-Length: \(body.count)"], body: body)
        try await withServer(answering: response) { server, folder in
            _ = try await test.fetch(try server.url(), to: folder)
            #expect(try temporaryFiles(holding: body).isEmpty)
        }
    }

    @Test(arguments: ModeUnderTest.configurable)
    func nothingStaysThereOfABodyThatWasRefused(test: ModeUnderTest) async throws {
        let body = Self.uniqueBody()
        let response = LoopbackServer.Response("404 Not Found", ["Content-Length: \(body.count)"], body: body)
        try await withServer(answering: response) { server, folder in
            let url = try server.url()
            #expect(await test.failure(fetching: url, to: folder)?.code == .httpStatus)
            #expect(try temporaryFiles(holding: body).isEmpty)
        }
    }

    @Test(arguments: ModeUnderTest.toFile.filter { $0.mode.name.hasPrefix("download") })
    func nothingStaysThereOfABodyThatCannotBeMoved(test: ModeUnderTest) async throws {
        let body = Self.uniqueBody()
        let response = LoopbackServer.Response("200 OK", ["Content-Length: \(body.count)"], body: body)
        try await withServer(answering: response) { server, folder in
            let url = try server.url()
            #expect(await test.failure(fetching: url, to: folder + "/missing")?.code == .file)
            #expect(try temporaryFiles(holding: body).isEmpty)
        }
    }
}
