// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import TrialKit

/// The blocking initialiser on the threads of Grand Central Dispatch's pool, on which the tests' tasks run as well.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct GCDDataTests {
    private func fetch(
        _ paths: [String], _ script: @escaping LoopbackServer.Script
    ) async throws -> (bodies: [FetchedBody], requestCount: Int) {
        let mode = try #require(ModeCatalog.all.first { $0.name == "gcd-data" })
        return try await withServer(script) { server, folder in
            let requests = try paths.map { FetchRequest(url: try server.url($0), destination: folder + $0) }
            let bodies = try await mode.withFetcher { try await $0.fetch(requests) }
            return (bodies, server.received.count)
        }
    }

    @Test func aBodyArrivesWhole() async throws {
        let whole = LoopbackServer.Response(
            "200 OK", ["Content-Length: \(TestBody.bytes.count)"], body: TestBody.bytes)
        let fetched = try await fetch(["/body"]) { _ in whole }
        #expect(try fetched.bodies.map { try $0.bytes() } == [TestBody.bytes])
        #expect(fetched.requestCount == 1)
    }

    /// More than there are threads at first.
    @Test func severalAtOnceStandInTheOrderOfTheirRequests() async throws {
        let numbers = (1...ProcessInfo.processInfo.activeProcessorCount + 2).map { $0 }
        let fetched = try await fetch(numbers.map { "/\($0)" }) { request in
            let number = Int(request.split(separator: " ")[1].dropFirst()) ?? 0
            return .init("200 OK", ["Content-Length: \(number)"], body: [UInt8](repeating: 7, count: number))
        }
        #expect(fetched.bodies.map(\.byteCount) == numbers)
        #expect(fetched.requestCount == numbers.count)
    }

    @Test func aRefusedStatusIsAFailure() async throws {
        await #expect(throws: FetchFailure(.httpStatus, "a status that Foundation refuses and does not tell")) {
            _ = try await fetch(["/missing"]) { _ in .init("404 Not Found", ["Content-Length: 0"]) }
        }
    }
}
