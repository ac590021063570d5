// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import TrialKit

struct ModeCatalogTests {
    @Test func namesAreUniqueWordsInLowerCase() {
        let names = ModeCatalog.all.map(\.name)
        #expect(Set(names).count == names.count)
        for name in names {
            #expect(!name.isEmpty && name.allSatisfy { $0.isASCII && ($0.isLowercase || $0.isNumber || $0 == "-") })
        }
    }

    @Test func everyModeSaysWhatItDoesInOneLine() {
        for mode in ModeCatalog.all {
            #expect(!mode.summary.isEmpty && !mode.summary.contains("\n"), "\(mode.name)")
            #expect(mode.caveat?.isEmpty != true && mode.caveat?.contains("\n") != true, "\(mode.name)")
        }
    }

    @Test func everyModeSpeaksPlainHTTPAndOnlyTheRawOnesNoTLS() {
        #expect(ModeCatalog.all.allSatisfy { $0.schemes.contains("http") })
        #expect(ModeCatalog.all.filter { !$0.schemes.contains("https") }.map(\.name) == ["raw", "raw-drop"])
        #expect(
            ModeCatalog.all.filter { !$0.yieldsBody && $0.need != .sink }.map(\.name)
                == ["none", "taskgroup-discarding", "raw-drop"])
    }

    @Test func theModeThatFetchesNothingConnectsToNothing() async throws {
        let none = try ModeUnderTest.named("none")
        try await withServer(answering: .init("200 OK", body: [1])) { server, folder in
            let body = try await ModeUnderTest(mode: none).fetch(try server.url(), to: folder)
            #expect(try body.byteCount == 0 && body.bytes().isEmpty)
            #expect(server.received.isEmpty)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty)
        }
    }
}

struct ModeDeclarationTests {
    private static func names(ableTo ability: ModeAbility) -> Set<String> {
        Set(ModeUnderTest.able(to: ability).map(\.mode.name))
    }

    /// The blocking initialisers block a thread of their own each.
    @Test func blockingModesFetchSequentially() {
        let able = Self.names(ableTo: .concurrency)
        #expect(able.isDisjoint(with: ["raw", "raw-drop"]))
        #expect(able.isSuperset(of: ["sync-data", "sync-string"]))
        #expect(able.isSuperset(of: ["data", "stream", "stream-bounded", "data-delegate", "download-delegate"]))
    }

    @Test func streamingModesCanHaveASlowConsumer() {
        let able = Self.names(ableTo: .slowConsumer)
        #expect(able.isSuperset(of: ["stream", "stream-bounded", "data-delegate", "download-delegate"]))
        #expect(able.isDisjoint(with: ["data", "data-async", "download", "download-async", "sync-data"]))
    }

    @Test func textIsNeededForTheStringAndASinkForTheUploads() {
        #expect(ModeCatalog.all.filter { $0.need == .text }.map(\.name) == ["sync-string"])
        #expect(ModeCatalog.all.filter { $0.need == .sink }.map(\.name) == ["upload", "upload-file"])
        #expect(ModeCatalog.all.filter { $0.need == .json }.map(\.name) == ["publisher-decode"])
        #expect(ModeCatalog.all.filter { $0.need == .image }.map(\.name) == ["publisher-picture"])
        #expect(ModeCatalog.all.filter(\.showsItself).map(\.name) == ["publisher-picture"])
        #expect(ModeCatalog.all.filter { $0.need == .faults }.map(\.name) == ["publisher-retry-catch"])
    }
}

/// Modes have the abilities that they declare.
@Suite(.timeLimit(.minutes(5)))
struct ModeAbilityTests {
    @Test(arguments: ModeUnderTest.able(to: .slowConsumer))
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
            let settings = FetchSettings.test {
                $0.consumerDelayNanoseconds = delay
                // Tests beside this one block the threads of tasks; how long a server is waited for is not asked here.
                $0.idleTimeoutSeconds = 200
            }
            let byteCount = try await test.mode.withFetcher(settings) { fetcher in
                try await fetcher.byteCount(of: request)
            }
            // No mode takes more than 64 KiB at once.
            #expect(ContinuousClock.now - start >= .nanoseconds(delay * count))
            #expect(byteCount == size * count)
        }
    }

    @Test(arguments: ModeUnderTest.overTLS.filter(\.trustsByName))
    func anAuthorityThatIsNamedIsTrustedAndNoOther(test: ModeUnderTest) async throws {
        try await TLSServer.serving(TestBody.bytes) { server in
            try await withTemporaryFolder { folder in
                let request = FetchRequest(url: try server.url(), destination: folder + "/body")
                let settings = FetchSettings.test { $0.certificateAuthorityPath = server.authorityPath }
                let body = try #require(
                    try await test.mode.withFetcher(settings) { try await $0.fetch([request]) }.first)
                #expect(try body.bytes() == TestBody.bytes)
                let failure = await test.failure(fetching: try server.url(), to: folder)
                #expect(failure?.code == .tls)
                #expect(failure?.detail.contains("/") == false)
            }
        }
    }

    @Test(arguments: ModeUnderTest.able(to: .revalidation))
    func aVersionThatStillHoldsIsNotFetchedAgain(test: ModeUnderTest) async throws {
        let tag = "\"version 1\""
        let script: LoopbackServer.Script = { request in
            guard !request.contains("If-None-Match: \(tag)") else {
                return LoopbackServer.Response("304 Not Modified", ["ETag: \(tag)"])
            }
            return LoopbackServer.Response("200 OK", ["Content-Length: 3", "ETag: \(tag)"], body: [1, 2, 3])
        }
        try await withServer(script) { server, folder in
            var request = FetchRequest(url: try server.url(), destination: folder + "/body")
            try await test.mode.withFetcher { fetcher in
                #expect(try await fetcher.fetch(request).entityTag == nil)
                request.wantsEntityTag = true
                #expect(try await fetcher.fetch(request).entityTag == tag)
                request.entityTag = tag
                let unchanged = try await fetcher.fetch(request)
                #expect(unchanged.isUnchanged && unchanged.byteCount == 0)
                request.entityTag = "\"version 0\""
                let body = try await fetcher.fetch(request)
                #expect(!body.isUnchanged && body.entityTag == tag)
                #expect(body.byteCount == 3)
            }
        }
    }
}
