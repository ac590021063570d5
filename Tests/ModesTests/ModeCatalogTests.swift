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

    @Test func theFiveModesOfTheComparisonAreThere() {
        let names = Set(ModeCatalog.all.map(\.name))
        #expect(names.isSuperset(of: ["none", "data", "download", "stream", "raw"]))
    }

    @Test func everyModeSpeaksPlainHTTPAndOnlyTheRawOnesNoTLS() {
        #expect(ModeCatalog.all.allSatisfy { $0.schemes.contains("http") })
        #expect(ModeCatalog.all.filter { !$0.schemes.contains("https") }.map(\.name) == ["raw", "raw-drop"])
        #expect(
            ModeCatalog.all.filter { !$0.yieldsBody && $0.need != .sink }.map(\.name)
                == ["none", "taskgroup-discarding", "raw-drop"])
    }

    @Test func theModeThatFetchesNothingConnectsToNothing() async throws {
        let none = try #require(ModeCatalog.all.first { $0.name == "none" })
        try await withServer(answering: .init("200 OK", body: [1])) { server, folder in
            let fetcher = try none.makeFetcher(FetchSettings(verification: .sha256, idleTimeoutSeconds: 5))
            let body = try await fetcher.fetch(FetchRequest(url: try server.url(), destination: folder + "/body"))
            await fetcher.invalidate()
            #expect(body.byteCount == 0)
            #expect(try body.bytes().isEmpty)
            #expect(server.received.isEmpty)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty)
        }
    }
}
