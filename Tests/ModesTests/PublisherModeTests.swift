// SPDX-License-Identifier: Apache-2.0

import Foundation
import OpenCombineModes
import Origin
import Rendering
import Runs
import Testing

/// Requests of publisher chains as the origin counts them, and what remains afterwards.
@Suite(.timeLimit(.minutes(5)))
struct PublisherModeTests {
    private func failure(of mode: any FetchMode, _ request: FetchRequest) async throws -> FetchFailure? {
        try await mode.withFetcher { await $0.failure(of: request) }
    }

    private func request(_ path: String, _ origin: OriginServer, _ folder: String) throws -> FetchRequest {
        FetchRequest(url: try #require(URL(string: origin.baseURL + path)), destination: folder + "/body")
    }

    /// A megabyte arrives after the last of the subscribers; 1 KiB would be there before the second one, were the start
    /// not held back.
    @Test(arguments: ["publisher-share", "publisher-connectable"], ["1KiB", "1MiB"])
    func allSubscribersTogetherAskOnce(name: String, size: String) async throws {
        try await withOrigin { origin, library, folder in
            let asset = try library.asset(named: size)
            let request = try request(asset.location, origin, folder)
            let mode = try ModeUnderTest.named(name)
            try await mode.withFetcher { fetcher in
                for count in 1...20 {
                    let body = try await fetcher.fetch(request)
                    #expect(try MemoryBytes(try body.bytes()).sha256() == asset.sha256)
                    #expect(origin.requests().count == count)
                }
            }
        }
    }

    @Test(arguments: ["publisher-share", "publisher-connectable", "publisher-decode", "publisher-picture"])
    func aFailureReachesWhoeverWaits(name: String) async throws {
        try await withOrigin { origin, _, folder in
            let mode = try ModeUnderTest.named(name)
            let missing = try await failure(of: mode, try request("/faults/status/404", origin, folder))
            #expect(missing?.code == .httpStatus)
            let short = try await failure(of: mode, try request("/faults/short", origin, folder))
            #expect(short?.code == .truncatedBody)
            let nobody = FetchRequest(
                url: try #require(URL(string: "http://127.0.0.1:1/")), destination: folder + "/body")
            #expect(try await failure(of: mode, nobody)?.code == .connectionRefused)
        }
    }

    @Test func theFirstURLIsTriedTwiceAndThenTheFallback() async throws {
        try await withOrigin { origin, library, folder in
            let asset = try library.asset(named: "text-100KiB")
            let request = try request(asset.location, origin, folder)
            let mode = try ModeUnderTest.named("publisher-retry-catch")
            try await mode.withFetcher { fetcher in
                let body = try await fetcher.fetch(request)
                #expect(try MemoryBytes(try body.bytes()).sha256() == asset.sha256)
            }
            #expect(origin.requests().map(\.path) == ["/faults/reset", "/faults/reset", "/text/100KiB"])
            // Where the fallback fails, too, its failure is the one that is told.
            let failure = try await failure(of: mode, try self.request("/faults/status/410", origin, folder))
            #expect(failure?.code == .httpStatus && failure?.detail.contains("410") == true)
        }
    }

    @Test(arguments: ["json-2B", "json-1KiB", "json-1000001B"])
    func aDocumentIsDecodedAndItsBodyIsKept(name: String) async throws {
        try await withOrigin { origin, library, folder in
            let asset = try library.asset(named: name)
            let request = try request(asset.location, origin, folder)
            try await ModeUnderTest.named("publisher-decode").withFetcher { fetcher in
                let body = try await fetcher.fetch(request)
                #expect(body.byteCount == asset.byteCount?.rawValue)
                #expect(try MemoryBytes(try body.bytes()).sha256() == asset.sha256)
            }
            #expect(origin.requests().count == 1)
        }
    }

    @Test func documentsWithoutRecordsAreReported() async throws {
        try await withOrigin { origin, _, folder in
            let text = try await failure(
                of: ModeUnderTest.named("publisher-decode"), try request("/text/1KiB", origin, folder))
            #expect(text == FetchFailure(.other, "the body cannot be decoded: not JSON"))
        }
        let object = LoopbackServer.Response("200 OK", ["Content-Length: 10"], body: Array(#"[{"id":1}]"#.utf8))
        try await withServer(answering: object) { server, folder in
            let request = FetchRequest(url: try server.url(), destination: folder + "/body")
            let failure = try await failure(of: ModeUnderTest.named("publisher-decode"), request)
            #expect(failure?.detail == "the body cannot be decoded: a record has no 'title'")
        }
    }

    @Test func aPictureIsShownAndItsFileIsKept() async throws {
        try await withOrigin { origin, library, folder in
            let asset = try library.asset(named: "gallery-30")
            let request = try request(asset.location, origin, folder)
            try await ModeUnderTest.named("publisher-picture").withFetcher { fetcher in
                let body = try await fetcher.fetch(request)
                let picture = try #require(body.picture)
                #expect(!picture.isFallback)
                #expect(picture.width == asset.width)
                #expect(picture.height == asset.height)
                #expect(body.filePath == folder + "/body")
                #expect(try MemoryBytes(try body.bytes()).sha256() == asset.sha256)
            }
            #expect(origin.requests().count == 1)
        }
    }

    /// A text that says it is a JPEG, and a JPEG that claims 20,000×20,000 pixels.
    @Test(arguments: ["text.jpg", "bomb.jpg"])
    func undecodableBodiesShowTheFallback(name: String) async throws {
        try await withOrigin { origin, _, folder in
            let request = try request("/faults/\(name)", origin, folder)
            try await ModeUnderTest.named("publisher-picture").withFetcher { fetcher in
                let body = try await fetcher.fetch(request)
                let picture = try #require(body.picture)
                #expect(picture.isFallback && picture.width == 64)
                #expect(body.byteCount > 0)
            }
        }
    }
}

/// The pictures that the chain of an image view shows, and in which view.
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
        var result: (bodies: [FetchedBody], asset: Asset)?
        try await withOrigin { origin, library, folder in
            let asset = try library.asset(named: "gallery-30")
            let url = try #require(URL(string: origin.baseURL + asset.location))
            let requests = (0..<count).map { FetchRequest(url: url, destination: "\(folder)/body-\($0)") }
            result = (try await mode(model).withFetcher(settings) { try await $0.fetch(requests) }, asset)
        }
        return try #require(result)
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
