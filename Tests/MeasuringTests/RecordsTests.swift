// SPDX-License-Identifier: Apache-2.0

import Foundation
import MemProbe
import Runs
import Testing
import TrialKit

/// Render models that decode records: which assets and modes they are for, and how their count is verified.
struct RecordsTests {
    private static let json = FakeModel(name: "json", need: .json)

    private static func asset(_ name: String, _ mediaType: String) -> Asset {
        var asset = Asset(
            name: name, location: "/\(name)", isEmbedded: true, byteCount: .mebibytes(1), mediaType: mediaType)
        asset.recordCount = mediaType == "application/json" ? 8191 : nil
        return asset
    }

    private static let document = asset("json-1MiB", "application/json")

    private func reason(_ model: FakeModel, _ asset: Asset, _ mode: FakeMode = FakeMode(name: "data")) -> String? {
        Plan.synthetic(assets: [asset], modes: [mode], models: [model], allocators: [.glibc]).inapplicable.first?.reason
    }

    @Test func recordsAreDecodedOfDocumentsAndPicturesOfImages() {
        let image = Self.asset("hero", "image/jpeg")
        let picture = FakeModel(name: "imageview")
        #expect(reason(Self.json, Self.document) == nil && reason(picture, image) == nil)
        #expect(
            reason(Self.json, image)
                == "render model json decodes only JSON assets such as json-1MiB, and asset hero is not one"
        )
        #expect(
            reason(picture, Self.document)
                == "asset json-1MiB is application/json, and imageview renders only images")
        let foreign = Asset(name: "url", location: "https://example.org/a.json", isEmbedded: false)
        #expect(reason(Self.json, foreign)?.contains("decodes only JSON assets") == true)
    }

    @Test func aModeThatDecodesRecordsItselfIsNotRendered() {
        let mode = FakeMode(name: "publisher-decode", need: .json)
        #expect(
            reason(Self.json, Self.document, mode)
                == "mode publisher-decode decodes records itself: use --render none")
    }

    @Test func aModelOfAnOlderProgramIsOneOfPictures() throws {
        let text = #"{"name":"old","summary":"","needs_body":true,"environment":{}}"#
        let old = try JSONDecoder().decode(RenderModelDeclaration.self, from: Data(text.utf8))
        #expect(old.need == .image)
        let new = RenderModelDeclaration(Self.json)
        #expect(try JSONDecoder().decode(RenderModelDeclaration.self, from: JSONEncoder().encode(new)) == new)
    }

    @Test(arguments: [
        (8191, 1, Outcome.completed), (8190, 1, Outcome(.wrongBody, "8190 records decoded instead of 8191")),
        (8191, 2, Outcome(.wrongBody, "8191 records decoded instead of 16382")), (16382, 2, .completed),
    ])
    func theRecordsAreCountedAgainstTheAsset(count: Int, concurrency: Int, outcome: Outcome) throws {
        var synthetic = SyntheticTrial(bodySHA256: nil)
        synthetic.asset = Self.document
        synthetic.cell.render = "json"
        synthetic.cell.conditions.concurrency = concurrency
        synthetic.records = count
        let trial = try synthetic.trial()
        #expect(trial.outcome == outcome)
        #expect(Metric.decodedRecords.value(trial) == Double(count))
    }
}
