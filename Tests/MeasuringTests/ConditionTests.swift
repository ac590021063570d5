// SPDX-License-Identifier: Apache-2.0

import Foundation
import Runs
import Testing

struct ConditionTests {
    private static let unusual: FetchConditions = {
        var conditions = FetchConditions.standard
        conditions.concurrency = 5
        conditions.consumerDelayNanoseconds = 200_000
        conditions.session = .default
        conditions.transfer = .gzip
        conditions.scheme = .https
        return conditions
    }()

    private static func cell(_ conditions: FetchConditions) -> Case {
        Case(asset: "64MiB", mode: "stream", render: "none", allocator: .glibc, conditions: conditions)
    }

    @Test func theUsualConditionsLeaveAnIdentifierAsItWas() {
        #expect(Self.cell(.standard).identifier == "64MiB/stream/none/glibc")
    }

    @Test func unusualSettingsFollowAFurtherSlash() {
        #expect(
            Self.cell(Self.unusual).identifier
                == "64MiB/stream/none/glibc/concurrency=5+delay=200us+session=default+transfer=gzip+scheme=https")
    }

    @Test func eachConditionMakesAnIdentifierOfItsOwn() {
        var identifiers: Set = [Self.cell(.standard).identifier]
        for change: (inout FetchConditions) -> Void in [
            { $0.concurrency = 2 }, { $0.consumerDelayNanoseconds = 1 }, { $0.session = .default },
            { $0.transfer = .chunked }, { $0.transfer = .gzip }, { $0.scheme = .https }, { $0.http = .http2 },
        ] {
            var conditions = FetchConditions.standard
            change(&conditions)
            #expect(identifiers.insert(Self.cell(conditions).identifier).inserted)
        }
    }

    @Test func aCaseComesBackFromJSON() throws {
        for conditions in [FetchConditions.standard, Self.unusual] {
            let data = try JSONEncoder().encode(Self.cell(conditions))
            #expect(try JSONDecoder().decode(Case.self, from: data) == Self.cell(conditions))
        }
    }

    /// Runs of earlier versions call the session without stores ephemeral, and so do older programs.
    @Test func aStoredEphemeralSessionIsNotTakenForApples() throws {
        let old = #"{"session": "ephemeral", "concurrency": 5}"#
        let read = try JSONDecoder().decode(FetchConditions.self, from: Data(old.utf8))
        #expect(read.session == .bare && read.concurrency == 5 && read.words == ["concurrency=5"])
        let words: [(SessionKind, String, version: Int)] = [
            (.bare, "ephemeral", 2), (.ephemeral, "in-memory", 8), (.default, "default", 2), (.shared, "shared", 8),
        ]
        #expect(words.map(\.0) == SessionKind.allCases)
        for (kind, word, version) in words {
            var conditions = FetchConditions.standard
            (conditions.concurrency, conditions.session) = (5, kind)
            #expect(conditions.documentVersion == version && TrialRequest.understoodProtocols.contains(version))
            let data = try JSONEncoder().encode(conditions)
            #expect(String(decoding: data, as: UTF8.self).contains("\"session\":\"\(word)\""))
            #expect(try JSONDecoder().decode(FetchConditions.self, from: data) == conditions)
        }
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(FetchConditions.self, from: Data(#"{"session": "bare"}"#.utf8))
        }
    }

    @Test func aCaseOfAnOlderRunWasMeasuredUnderTheUsualConditions() throws {
        let old = #"{"asset": "hero", "mode": "data", "render": "none", "allocator": "glibc"}"#
        let cell = try JSONDecoder().decode(Case.self, from: Data(old.utf8))
        #expect(cell.conditions == .standard)
        let again = try JSONSerialization.jsonObject(with: try JSONEncoder().encode(cell)) as? [String: String]
        #expect(again == ["asset": "hero", "mode": "data", "render": "none", "allocator": "glibc"])
    }
}

struct ApplicabilityTests {
    private static let text = Asset(
        name: "text-1MiB", location: "/text/1MiB", isEmbedded: true, mediaType: "text/plain; charset=utf-8")
    private static let foreign = Asset(name: "url", location: "http://127.0.0.1:1/", isEmbedded: false)

    /// The reason why one cell of a plan is not applicable, or `nil` where it is a case.
    private func obstacle(
        _ mode: FakeMode, asset: Asset = .hero, _ change: (inout FetchConditions) -> Void = { _ in }
    ) throws -> String? {
        var conditions = FetchConditions.standard
        change(&conditions)
        let plan = Plan.synthetic(
            assets: [asset], modes: [mode], models: [FakeModel(name: "none", needsBody: false)], allocators: [.glibc],
            conditions: [conditions])
        let cell = Case(asset: asset.name, mode: mode.name, render: "none", allocator: .glibc, conditions: conditions)
        #expect(plan.cases.contains(cell) != plan.inapplicable.contains { $0.cell == cell })
        return plan.inapplicable.first { $0.cell == cell }?.reason
    }

    @Test func aModeThatBlocksFetchesOneAssetAtATime() throws {
        let blocking = FakeMode(name: "sync")
        #expect(try obstacle(blocking) { $0.concurrency = 1 } == nil)
        #expect(
            try obstacle(blocking) { $0.concurrency = 5 }
                == "mode sync blocks its thread, so it fetches one asset at a time")
        #expect(try obstacle(FakeMode(name: "many", abilities: [.concurrency])) { $0.concurrency = 5 } == nil)
    }

    @Test func theSharedSessionTakesNoDelegateAndNoOtherConfiguration() throws {
        let shared: (inout FetchConditions) -> Void = { $0.session = .shared }
        #expect(try obstacle(FakeMode(name: "data", abilities: [.sessionConfiguration]), shared) == nil)
        #expect(
            try obstacle(FakeMode(name: "raw"), shared)
                == "mode raw does not use URLSession, so --session does not apply")
        #expect(
            try obstacle(FakeMode(name: "stream", abilities: [.sessionConfiguration, .slowConsumer]), shared)
                == "mode stream needs a delegate, which URLSession.shared does not support")
    }

    @Test func onlyWhatConsumesPiecesCanBeSlow() throws {
        #expect(
            try obstacle(FakeMode(name: "data")) { $0.consumerDelayNanoseconds = 1 }
                == "mode data does not stream its body, so --consumer-delay does not apply")
        #expect(
            try obstacle(FakeMode(name: "stream", abilities: [.slowConsumer])) { $0.consumerDelayNanoseconds = 1 }
                == nil)
    }

    @Test func onlyASessionCanBeConfigured() throws {
        #expect(
            try obstacle(FakeMode(name: "raw")) { $0.session = .default }
                == "mode raw does not use URLSession, so --session does not apply")
        #expect(
            try obstacle(FakeMode(name: "data", abilities: [.sessionConfiguration])) { $0.session = .default } == nil)
    }

    @Test func gzipNeedsAModeThatDecodesIt() throws {
        #expect(try obstacle(FakeMode(name: "raw")) { $0.transfer = .gzip } == "mode raw does not decode gzip")
        #expect(try obstacle(FakeMode(name: "raw")) { $0.transfer = .chunked } == nil)
        #expect(try obstacle(FakeMode(name: "data", abilities: [.gzip])) { $0.transfer = .gzip } == nil)
    }

    @Test func aSchemeHasToBeSpoken() throws {
        #expect(
            try obstacle(FakeMode(name: "raw", schemes: ["http"])) { $0.scheme = .https }
                == "mode raw does not support https")
        #expect(try obstacle(FakeMode(name: "data")) { $0.scheme = .https } == nil)
        #expect(
            try obstacle(FakeMode(name: "tls", schemes: ["https"]), asset: Self.foreign)
                == "mode tls does not support http")
    }

    @Test func http2NeedsTLSAndAModeThatSpeaksIt() throws {
        let able = FakeMode(name: "able", abilities: [.http2])
        #expect(
            try obstacle(able) { $0.http = .http2 }
                == "the embedded origin supports HTTP/2 only over TLS: add --scheme https")
        for (mode, reason) in [(able, nil), (FakeMode(name: "old"), "mode old does not support HTTP/2")] {
            let found = try obstacle(mode) {
                $0.http = .http2
                $0.scheme = .https
            }
            #expect(found == reason)
        }
    }

    @Test func aStringIsMadeOfTextAlone() throws {
        let strings = FakeMode(name: "string", need: .text)
        #expect(try obstacle(strings, asset: Self.text) == nil)
        #expect(try obstacle(strings) == "asset hero is image/jpeg, and mode string needs text")
        #expect(try obstacle(strings, asset: Self.foreign) == nil, "the fetch will tell")
    }

    @Test func anUploadNeedsTheEmbeddedOriginsSink() throws {
        let upload = FakeMode(name: "upload", abilities: [.gzip], need: .sink)
        for transfer in [TransferEncoding.chunked, .gzip] {
            #expect(
                try obstacle(upload) { $0.transfer = transfer }
                    == "mode upload uploads the asset, so --transfer does not apply")
        }
        #expect(try obstacle(upload) == nil)
        #expect(
            try obstacle(upload, asset: Self.foreign)
                == "mode upload uploads, which needs the embedded origin")
    }

    @Test func aCommandHasNoConditionsButThoseOfTheOrigin() throws {
        let command = PlannedMode(ExternalCommand(name: "curl", command: "curl {url}"))
        let plan = Plan.synthetic(
            planned: [command], models: [FakeModel(name: "none", needsBody: false)], allocators: [.glibc],
            conditions: [.unusual { $0.scheme = .https }, .unusual { $0.concurrency = 2 }])
        #expect(plan.cases.map(\.conditionsText) == ["", "scheme=https"])
        #expect(plan.inapplicable.map(\.cell.conditionsText) == ["concurrency=2"])
    }

    @Test func theNullCaseIsThereOnceWhateverTheConditions() {
        let plan = Plan.synthetic(
            modes: FakeMode.all, allocators: [.glibc],
            conditions: [.standard, .unusual { $0.concurrency = 2 }, .unusual { $0.concurrency = 3 }])
        #expect((plan.cases + plan.inapplicable.map(\.cell)).count { $0.mode == Case.nullMode } == 3)
    }
}

extension FetchConditions {
    static func unusual(_ change: (inout FetchConditions) -> Void) -> FetchConditions {
        var conditions = FetchConditions.standard
        change(&conditions)
        return conditions
    }
}
