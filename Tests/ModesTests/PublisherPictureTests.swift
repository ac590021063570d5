// SPDX-License-Identifier: Apache-2.0

import Foundation
import MemProbe
import OpenCombineModes
import Origin
import Rendering
import Runs
import Testing
import TrialKit

/// What the chain of an image view shows: in which view, and how much of it there is.
@Suite(.timeLimit(.minutes(5)))
struct PublisherPictureTests {
    private let ledger = BitmapLedger()

    private func mode(_ model: any RenderModel) throws -> any FetchMode {
        try #require(OpenCombineCatalog.all(decodingWith: model).first { $0.name == "publisher-picture" })
    }

    /// Fetches a picture of the gallery so many times at once.
    private func bodies(
        _ count: Int, by model: any RenderModel, _ settings: FetchSettings = .test()
    ) async throws -> (bodies: [FetchedBody], asset: Asset) {
        let folder = FileManager.default.temporaryDirectory.path + "/shown-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let library = AssetLibrary(cacheDirectory: folder + "/cache")
        let asset = try library.asset(named: "gallery-30")
        let origin = try await OriginServer.start(OriginConfiguration(rate: .unlimited, library: library))
        let url = try #require(URL(string: origin.baseURL + asset.location))
        let requests = (0..<count).map { FetchRequest(url: url, destination: "\(folder)/body-\($0)") }
        do {
            let bodies = try await mode(model).withFetcher(settings) { try await $0.fetch(requests) }
            try await origin.stop()
            return (bodies, asset)
        } catch {
            try await origin.stop()
            throw error
        }
    }

    @Test(arguments: [1, 3])
    func theLedgerOfAllPicturesIsCountedOnce(count: Int) async throws {
        let (bodies, asset) = try await bodies(count, by: DecodingModel.imageView(ledger: ledger))
        let (width, height) = (try #require(asset.width), try #require(asset.height))
        let reading = try #require(PictureReading(showing: bodies.compactMap(\.picture)))
        #expect(reading.bitmapByteCount == ByteCount(count * ((width * height * 4 + 4095) / 4096 * 4096)))
        #expect(reading.fallbackCount == 0)
        #expect(reading.width == width && reading.height == height)
    }

    @Test func theViewIsTheOneThatWasAskedFor() async throws {
        let settings = FetchSettings.test { $0.rendering = RenderSettings(viewWidth: 40, viewHeight: 50) }
        let picture = try await bodies(1, by: DecodingModel.thumbnail(ledger: ledger), settings).bodies.first?.picture
        let shown = try #require(picture)
        #expect(shown.width == 40 || shown.height == 50)
        #expect(shown.width <= 40 && shown.height <= 50)
    }
}
