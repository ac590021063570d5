// SPDX-License-Identifier: Apache-2.0

import Runs
import Testing
import TrialKit

/// When and how pictures are shown, and who cannot.
struct PictureConditionTests {
    private static let streaming = FakeModel(name: "stream-thumbnail", takesPieces: true)

    private func reason(_ mode: FakeMode, _ model: FakeModel, _ change: (inout FetchConditions) -> Void) -> String? {
        var conditions = FetchConditions.standard
        change(&conditions)
        let plan = Plan.synthetic(
            modes: [mode], models: [model], allocators: [.glibc], conditions: [conditions])
        return plan.inapplicable.first?.reason
    }

    @Test func aModelThatStreamsNeedsPiecesOrAFile() throws {
        let reason = try #require(reason(FakeMode(name: "data"), Self.streaming) { _ in })
        #expect(reason.contains("data") && reason.contains("stream-thumbnail"))
        for ability in [ModeAbility.pieces, .file] {
            #expect(self.reason(FakeMode(name: "able", abilities: [ability]), Self.streaming) { _ in } == nil)
        }
    }

    @Test func onlyWhatIsShownCanBeShownAtOnce() {
        let none = FakeModel(name: "none", needsBody: false)
        #expect(
            reason(FakeMode(name: "data"), none) { $0.display = .atOnce }
                == "render model none does not show pictures")
        #expect(reason(FakeMode(name: "data"), FakeModel(name: "imageview")) { $0.display = .atOnce } == nil)
        let command = PlannedMode(ExternalCommand(name: "curl", command: "curl {url} -o {file}"))
        var conditions = FetchConditions.standard
        conditions.display = .atOnce
        let plan = Plan.synthetic(
            planned: [command], models: [none], allocators: [.glibc], conditions: [conditions])
        #expect(plan.inapplicable.map(\.reason) == ["command curl does not show pictures"])
    }

    /// A model that streams takes the body in pieces where it can, and no file is written.
    @Test func onlyAFileCanEndOnAnotherFileSystem() {
        let other: (inout FetchConditions) -> Void = { $0.destination = .other }
        let none = FakeModel(name: "none", needsBody: false)
        #expect(reason(FakeMode(name: "download", abilities: [.file]), none, other) == nil)
        #expect(reason(FakeMode(name: "stream", abilities: [.file, .pieces]), none, other) == nil)
        #expect(
            reason(FakeMode(name: "data"), none, other)
                == "mode data does not store the body in a file")
        #expect(reason(FakeMode(name: "download", abilities: [.file]), Self.streaming, other) == nil)
        #expect(
            reason(FakeMode(name: "stream", abilities: [.file, .pieces]), Self.streaming, other)
                == "mode stream streams the body to stream-thumbnail and writes no file")
    }

    @Test func anOlderProgramIsAskedInItsOwnVersionUnlessItHasToKnowMore() {
        var conditions = FetchConditions.standard
        #expect(conditions.documentVersion == 1)
        conditions.display = .atOnce
        #expect(conditions.documentVersion == 5 && TrialRequest.understoodProtocols.contains(5))
        #expect(conditions.words == ["display=at-once"])
    }
}
