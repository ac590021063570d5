// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import TrialKit

/// Uploads: the body is fetched before the baseline and sent to the origin's sink, which counts it.
@Suite(.timeLimit(.minutes(5)))
struct UploadTests {
    /// An origin that serves a body at any path, and answers what is sent to its sink.
    private static func origin(
        serving asset: [UInt8] = TestBody.bytes, _ sink: @escaping @Sendable ([UInt8]) -> LoopbackServer.Response
    ) -> LoopbackServer.UploadScript {
        { request, body in
            guard request.hasPrefix("POST ") else {
                return .init("200 OK", ["Content-Length: \(asset.count)"], body: asset)
            }
            return request.hasPrefix("POST /sink HTTP/1.1\r\n") ? sink(body) : .init("404 Not Found")
        }
    }

    /// The sink's account of the received bytes.
    private static let receipt: @Sendable ([UInt8]) -> LoopbackServer.Response = { body in
        json("{\"bytes\":\(body.count),\"sha256\":\"\(TestBody.sha256(of: body) ?? "")\"}")
    }

    private static func json(_ text: String) -> LoopbackServer.Response {
        .init(
            "200 OK", ["Content-Type: application/json", "Content-Length: \(text.utf8.count)"], body: Array(text.utf8))
    }

    private func request(
        _ server: LoopbackServer, _ folder: String, _ path: String = "/asset?seed=1",
        method: FetchRequest.Method = .get, name: String = "fetched.body"
    ) throws -> FetchRequest {
        FetchRequest(url: try server.url(path), method: method, destination: folder + "/" + name)
    }

    /// Prepares and sends the asset, or what another method asks for.
    private func sent(
        by test: ModeUnderTest, _ server: LoopbackServer, _ folder: String, method: FetchRequest.Method = .get
    ) async throws -> FetchedBody {
        try await test.mode.withFetcher { fetcher in
            let request = try request(server, folder, method: method)
            try await fetcher.prepare(for: request)
            #expect(server.received.count == (method == .head ? 0 : 1))
            return try await fetcher.fetch(request)
        }
    }

    private func failure(
        of test: ModeUnderTest, sink: @escaping @Sendable ([UInt8]) -> LoopbackServer.Response
    ) async throws -> FetchFailure? {
        try await withServer(uploads: Self.origin(sink)) { server, folder in
            do {
                _ = try await sent(by: test, server, folder)
                return nil
            } catch let failure as FetchFailure {
                return failure
            }
        }
    }

    /// Around the sizes in which the body is read and sent.
    @Test(arguments: ModeUnderTest.uploading, [1, 16_383, 16_384, 16_385, 1_048_576])
    func everySizeArrivesWholeInTheSinkOfItsOrigin(test: ModeUnderTest, size: Int) async throws {
        let asset = (0..<size).map { UInt8($0 % 251) }
        try await withServer(uploads: Self.origin(serving: asset, Self.receipt)) { server, folder in
            let body = try await sent(by: test, server, folder)
            #expect(body.byteCount == size && body.sha256 == TestBody.sha256(of: asset))
            #expect(try body.bytes().isEmpty)
            let lines = server.received.map { $0.prefix { $0 != "\r\n" } }
            #expect(lines == ["GET /asset?seed=1 HTTP/1.1", "POST /sink HTTP/1.1"])
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty)
        }
    }

    /// As a trial does it: the warm-up's asset first.
    @Test(arguments: ModeUnderTest.uploading)
    func eachRequestSendsWhatWasPreparedForIt(test: ModeUnderTest) async throws {
        let script: LoopbackServer.UploadScript = { request, body in
            if request.hasPrefix("GET /warmup ") { return .init("200 OK", body: [1, 2, 3]) }
            return Self.origin(Self.receipt)(request, body)
        }
        try await withServer(uploads: script) { server, folder in
            try await test.mode.withFetcher { fetcher in
                let warmup = try request(server, folder, "/warmup", name: "warmup.body")
                try await fetcher.prepare(for: warmup)
                #expect(try await fetcher.byteCount(of: warmup) == 3)
                let asset = try request(server, folder)
                try await fetcher.prepare(for: asset)
                #expect(try await fetcher.byteCount(of: asset) == TestBody.bytes.count)
            }
        }
    }

    @Test(arguments: ModeUnderTest.uploading)
    func severalUploadsAtOnceDoNotMix(test: ModeUnderTest) async throws {
        let all = Meeting(of: 3)
        let script: LoopbackServer.UploadScript = { request, body in
            if request.hasPrefix("GET /"), let number = UInt8(request.split(separator: " ")[1].dropFirst()) {
                return .init("200 OK", body: [UInt8](repeating: number, count: 1000 + Int(number)))
            }
            all.wait()
            return Self.origin(Self.receipt)(request, body)
        }
        try await withServer(uploads: script) { server, folder in
            let bodies = try await test.mode.withFetcher { fetcher in
                let requests = try (1...3).map { try request(server, folder, "/\($0)", name: "body-\($0)") }
                for request in requests { try await fetcher.prepare(for: request) }
                return try await fetcher.fetch(requests)
            }
            let hashes = (1...3).map { TestBody.sha256(of: [UInt8](repeating: UInt8($0), count: 1000 + $0)) }
            #expect(bodies.map(\.byteCount) == [1001, 1002, 1003])
            #expect(bodies.map(\.sha256) == hashes)
        }
    }

    @Test(arguments: ModeUnderTest.uploading)
    func aHeaderNeedsNothingAndSendsNothing(test: ModeUnderTest) async throws {
        try await withServer(uploads: Self.origin(Self.receipt)) { server, folder in
            let body = try await sent(by: test, server, folder, method: .head)
            #expect(body.byteCount == 0)
            #expect(server.received.isEmpty)
        }
    }

    /// Too few bytes, no sink, and answers that tell nothing.
    @Test(arguments: ModeUnderTest.uploading, ["short", "none", "", "thank you", "{\"bytes\":200003}"])
    func aSinkThatDidNotGetAllOfItIsAFailure(test: ModeUnderTest, answer: String) async throws {
        let failure = try await failure(of: test) { body in
            switch answer {
            case "short": Self.receipt(Array(body.dropLast(5)))
            case "none": .init("404 Not Found", ["Content-Length: 0"])
            default: Self.json(answer)
            }
        }
        let codes: [String: FetchFailure.Code] = ["short": .truncatedBody, "none": .httpStatus]
        #expect(failure?.code == codes[answer, default: .malformedResponse])
        #expect(answer != "short" || failure?.detail == "199998 bytes reached the origin of 200003 sent")
    }

    @Test(arguments: ModeUnderTest.uploading)
    func aBodyThatWasNotPreparedIsNotSent(test: ModeUnderTest) async throws {
        try await withServer(uploads: Self.origin(Self.receipt)) { server, folder in
            await #expect(throws: FetchFailure(.other, "nothing was made ready to be sent")) {
                try await test.mode.withFetcher { try await $0.fetch(try request(server, folder)) }
            }
            #expect(server.received.isEmpty)
        }
    }

    @Test(arguments: ModeUnderTest.uploading)
    func anAssetThatIsNotThereCannotBePrepared(test: ModeUnderTest) async throws {
        let script: LoopbackServer.UploadScript = { _, _ in .init("404 Not Found", ["Content-Length: 0"]) }
        try await withServer(uploads: script) { server, folder in
            await #expect(throws: FetchFailure(.httpStatus, "status 404")) {
                try await test.mode.withFetcher { try await $0.prepare(for: try request(server, folder)) }
            }
        }
    }
}
