// SPDX-License-Identifier: Apache-2.0

import Testing
import TrialKit

/// What the modes say they can do; that they can is tested with each ability.
struct ModeDeclarationTests {
    private static func names(ableTo ability: ModeAbility) -> Set<String> {
        Set(ModeUnderTest.able(to: ability).map(\.mode.name))
    }

    /// The blocking initialisers block a thread of their own each.
    @Test func whatBlocksTheThreadThatAsksFetchesOneAfterAnother() {
        let able = Self.names(ableTo: .concurrency)
        #expect(able.isDisjoint(with: ["raw", "raw-drop"]))
        #expect(able.isSuperset(of: ["sync-data", "sync-string"]))
        #expect(able.isSuperset(of: ["data", "stream", "stream-bounded", "data-delegate", "download-delegate"]))
    }

    @Test func whatGetsTheBodyInPiecesCanBeSlow() {
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
