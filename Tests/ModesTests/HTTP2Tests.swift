// SPDX-License-Identifier: Apache-2.0

import Foundation
import Origin
import Runs
import Testing

/// Modes over HTTP/2, each with five fetches at once; those that trust by the environment are tested as trials.
@Suite(.timeLimit(.minutes(5)))
struct HTTP2Tests {
    private static let byteCount = 1_000_003

    @Test(arguments: ModeUnderTest.able(to: .http2).filter(\.trustsByName))
    func severalBodiesArriveWholeOverHTTP2(test: ModeUnderTest) async throws {
        try await withOrigin(http2: true) { origin, library, folder in
            let asset = try library.asset(named: "\(Self.byteCount)B")
            let base = try #require(origin.http2BaseURL)
            let url = try #require(URL(string: base + asset.location))
            let settings = FetchSettings.test {
                $0.http = .http2
                $0.certificateAuthorityPath = folder + "/ca.pem"
            }
            let requests = (0..<5).map { FetchRequest(url: url, destination: folder + "/body-\($0)") }
            let bodies = try await test.mode.withFetcher(settings) { try await $0.fetch(requests) }
            #expect(bodies.count == 5 && bodies.allSatisfy { $0.byteCount == Self.byteCount })
            for body in bodies where try !body.bytes().isEmpty {
                #expect(try MemoryBytes(body.bytes()).sha256() == asset.sha256)
            }
            let served = origin.requests()
            #expect(served.count == 5 && served.allSatisfy { $0.http == "2" })
            if test.mode.name == "nio-stream" { #expect(Set(served.map(\.connection)).count == 1) }
        }
    }

    @Test func aStreamThatTheOriginCutsIsTruncated() async throws {
        let mode = try ModeUnderTest.named("nio-stream")
        try await withOrigin(http2: true) { origin, _, folder in
            let base = try #require(origin.http2BaseURL)
            let url = try #require(URL(string: base + "/bytes/1MiB?cut=100KiB"))
            let settings = FetchSettings.test {
                $0.http = .http2
                $0.certificateAuthorityPath = folder + "/ca.pem"
            }
            try await mode.withFetcher(settings) { fetcher in
                let failure = await fetcher.failure(of: FetchRequest(url: url, destination: folder + "/body"))
                #expect(failure?.code == .truncatedBody)
            }
        }
    }
}
