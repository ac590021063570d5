// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc

/// Fetches many assets within its slots, renders each if the case does, and releases it.
final class ConcurrencyPlayer: ScenarioPlayer {
    private let stage: ScenarioStage
    private let slots: ConcurrencyScenario.Slots
    private let downloads: [Download]
    private let lane: Lane
    private var fetcher: (any Fetcher)?
    private var bodies: [BodyReading] = []

    init(_ stage: ScenarioStage, count: Int, slots: ConcurrencyScenario.Slots) throws {
        (self.stage, self.slots) = (stage, slots)
        downloads = try (0..<count).map { try Self.download($0, on: stage) }
        lane = try Lane(stage, slots, count: count)
        // A client's own limit would hold back downloads that have a slot.
        fetcher = try stage.makeFetcher(allowing: slots.downloads)
    }

    func warmUp() async throws {
        try lane.renderers.warmUp()
        let small = downloads.map { download in
            Download(
                request: FetchRequest(url: stage.warmup, destination: download.request.destination), sha256: nil)
        }
        try await run(small, renders: false)
        lane.downloading.forget()
        lane.decoding.forget()
    }

    func play() async throws { try await run(downloads, renders: stage.model.needsBody) }

    func end() async {
        await fetcher?.invalidate()
        fetcher = nil
    }

    func reading() throws -> ScenarioReading {
        // Each member of a set was compared with its own hash; the bodies of a single asset have to be the same.
        let body = stage.members.isEmpty ? try BodyReading(joining: bodies) : nil
        return ScenarioReading(
            figures: [
                "scenario_requests": Double(downloads.count), "download_slots_ratio": Double(slots.downloads),
                "most_downloads_ratio": Double(mostDownloads),
                "most_decodes_ratio": Double(lane.decoding.most),
            ], remarks: [blockingRemark].compactMap(\.self), conclusions: [conclusion], body: body)
    }

    private var conclusion: String {
        downloads.count > 1 && mostDownloads >= downloads.count
            ? "holds as many as there are" : "holds as many as it has slots"
    }

    /// A hint that the mode blocks Swift's task threads, one per processor; `nil` if all allowed downloads ran at once.
    private var blockingRemark: String? {
        let (most, allowed) = (lane.downloading.most, min(slots.downloads, downloads.count))
        guard most < allowed, most <= sysconf(Int32(_SC_NPROCESSORS_ONLN)) else { return nil }
        return "at most \(most) of \(allowed) downloads ran concurrently: does the mode block its thread?"
    }

    /// The largest number of concurrent downloads, with the plan's limit of connections.
    private var mostDownloads: Int {
        min(lane.downloading.most, stage.settings.maximumConnectionsPerHost ?? .max)
    }

    private func run(_ downloads: [Download], renders: Bool) async throws {
        guard let fetcher else { return }
        for download in downloads { try await fetcher.prepare(for: download.request) }
        bodies = try await lane.run(downloads, with: fetcher, renders: renders)
    }

    private static func download(_ number: Int, on stage: ScenarioStage) throws(FetchFailure) -> Download {
        let destination = "\(stage.directory)/asset-\(number).body"
        guard !stage.members.isEmpty else {
            return Download(request: FetchRequest(url: stage.target, destination: destination), sha256: nil)
        }
        let member = stage.members[number % stage.members.count]
        guard let url = URL(string: member.url) else {
            throw FetchFailure(.other, "the URL of an asset of the set cannot be parsed")
        }
        return Download(request: FetchRequest(url: url, destination: destination), sha256: member.sha256)
    }

    /// Fetches, verifies and renders assets within its slots.
    ///
    /// Bodies that wait for a decode are held and occupy no download slot, as in an application.
    struct Lane: Sendable {
        let downloading: AsyncSemaphore
        let decoding: AsyncSemaphore
        let renderers: RendererPool

        init(_ stage: ScenarioStage, _ slots: ConcurrencyScenario.Slots, count: Int) throws {
            downloading = AsyncSemaphore(capacity: slots.downloads, waiting: count)
            decoding = AsyncSemaphore(capacity: slots.decodes, waiting: count)
            renderers = try RendererPool(count: slots.decodes, stage)
        }

        /// Returns the readings of all bodies, in the order in which they were done.
        func run(_ downloads: [Download], with fetcher: any Fetcher, renders: Bool) async throws
            -> [BodyReading]
        {
            try await withThrowingTaskGroup(of: BodyReading?.self) { group in
                for download in downloads {
                    group.addTask { try await run(download, with: fetcher, renders: renders) }
                }
                var readings: [BodyReading] = []
                readings.reserveCapacity(downloads.count)
                for try await reading in group { if let reading { readings.append(reading) } }
                return readings
            }
        }

        private func run(_ download: Download, with fetcher: any Fetcher, renders: Bool) async throws
            -> BodyReading?
        {
            defer { unlink(download.request.destination) }
            let body = try await fetch(download.request, with: fetcher)
            await decoding.enter()
            defer { decoding.leave() }
            let reading = try await renderers.use(body, renders: renders)
            if let expected = download.sha256, let sha256 = reading?.sha256, sha256 != expected {
                throw FetchFailure(.wrongBody, "an asset of the set arrived with another SHA-256 than it has")
            }
            return reading
        }

        private func fetch(_ request: FetchRequest, with fetcher: any Fetcher) async throws -> RendererPool.HeldBody {
            await downloading.enter()
            defer { downloading.leave() }
            return RendererPool.HeldBody(try await fetcher.fetch(request))
        }
    }

    struct Download: Sendable {
        let request: FetchRequest
        /// The expected hash, if it is known here.
        let sha256: String?
    }
}
