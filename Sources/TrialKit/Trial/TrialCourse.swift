// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import MemProbe

/// The course of one trial: its phases in their order, each between two marks.
///
/// Between two marks nothing happens but the work itself: no allocation, no output, no sampler.
final class TrialCourse: Course {
    private(set) var report: TrialReport
    private(set) var phase = Phase.idle
    private let request: TrialRequest
    private let settings: FetchSettings
    private let mode: any FetchMode
    private let model: any RenderModel
    private let target: URL
    private let warmup: URL
    private let verifier = BodyVerifier()
    private var marker: TrialMarker
    private var bodies: [FetchedBody] = []
    private var pictures: [any RenderedImage] = []
    private var receipts: [BodyVerifier.Receipt] = []
    private var planted: PlantedMemory?

    init(
        _ request: TrialRequest, _ settings: FetchSettings, _ mode: any FetchMode, _ model: any RenderModel,
        target: URL, warmup: URL, into report: TrialReport
    ) throws(MemProbeError) {
        (self.request, self.settings, self.mode, self.model) = (request, settings, mode, model)
        (self.target, self.warmup, self.report) = (target, warmup, report)
        self.report.phases.reserveCapacity(Phase.measured.count)
        marker = try TrialMarker()
    }

    func run() async throws {
        let settling = mode.settles || model.needsBody ? Settling.standard : nil
        phase = .warmup
        let plantedAtStart = PlantedMemory(byteCount: request.plantedAtStartByteCount ?? 0)
        let isWarm = request.conditions?.start != .cold
        // A framebuffer belongs to the view and not to the fetch, so it exists before any mark.
        let renderer = try model.makeRenderer(request.rendering)
        let requests = requests(of: try targets(), to: "fetched", for: renderer)
        bodies.reserveCapacity(requests.count)
        pictures.reserveCapacity(requests.count)
        receipts.reserveCapacity(requests.count)
        // A cold start makes the fetcher within the phase `fetch`, whose cost includes it.
        let fetcher = isWarm ? try mode.makeFetcher(settings) : nil
        if let fetcher {
            try await warmUp(fetcher, renderer)
            for request in requests { try await fetcher.prepare(for: request) }
        }
        report.baseline = try marker.baseline(after: settling)
        let used = try await fetch(requests, with: fetcher, showingBy: renderer) {
            try mode.makeFetcher(settings)
        }
        try hold(settling)
        try render(with: renderer)
        withExtendedLifetime(plantedAtStart) {}
        try await release(used)
        try marker.settle(settling, into: &report)
    }

    /// - Parameters:
    ///   - ready: The fetcher, if it was warmed up.
    ///   - makeFetcher: Makes the fetcher in a cold start.
    private func fetch(
        _ requests: [FetchRequest], with ready: (any Fetcher)?, showingBy renderer: any Renderer,
        or makeFetcher: () throws -> any Fetcher
    ) async throws -> any Fetcher {
        phase = .fetch
        try marker.begin()
        planted = PlantedMemory(byteCount: request.plantedByteCount)
        let fetcher = try ready ?? makeFetcher()
        if ready == nil { for request in requests { try await fetcher.prepare(for: request) } }
        bodies = try await fetcher.fetch(requests)
        if request.conditions?.display == .atOnce { try showUnverified(by: renderer) }
        report.phases.append(try marker.end(.fetch))
        return fetcher
    }

    private func hold(_ settling: Settling?) throws {
        phase = .hold
        let wasDecoded = !receipts.isEmpty || bodies.contains { $0.isDecoded || $0.picture != nil }
        report.isDecodedWhileFetching = wasDecoded ? true : nil
        try marker.begin()
        report.picture = PictureReading(showing: bodies.compactMap(\.picture))
        let readings = try (bodies + receipts.map(\.body)).compactMap {
            try verifier.reading(of: $0, by: request.verification)
        }
        report.body = request.members == nil ? try BodyReading(joining: readings) : BodyReading(ofSet: readings)
        try marker.waitForQuiet(settling)
        report.phases.append(try marker.end(.hold))
    }

    /// Shows each body before it is verified, and keeps its receipt for verification.
    private func showUnverified(by renderer: any Renderer) throws {
        bodies.reverse()
        while !bodies.isEmpty {
            let (receipt, body) = BodyVerifier.Receipt.exchange(bodies.removeLast(), verifiedBy: request.verification)
            receipts.append(receipt)
            pictures.append(try renderer.render(consume body))
        }
    }

    private func render(with renderer: any Renderer) throws {
        phase = .render
        try marker.begin()
        bodies.reverse()
        // Passed without a name, which would hold the body while a model releases it.
        while !bodies.isEmpty { pictures.append(try renderer.render(bodies.removeLast())) }
        report.phases.append(try marker.end(.render))
        report.picture = pictures.last.flatMap(PictureReading.init) ?? report.picture
        let counts = pictures.compactMap(\.recordCount)
        report.recordCount = counts.isEmpty ? nil : counts.reduce(0, +)
    }

    private func release(_ fetcher: any Fetcher) async throws {
        phase = .release
        try marker.begin()
        pictures = []
        receipts = []
        planted = nil
        await fetcher.invalidate()
        report.phases.append(try marker.end(.release))
    }

    /// Does everything once that the measured phases will do, including the readings of the marks.
    private func warmUp(_ fetcher: any Fetcher, _ renderer: any Renderer) async throws {
        let warmups = requests(of: try targets().map { _ in warmup }, to: "warmup", for: renderer)
        for warmup in warmups { try await fetcher.prepare(for: warmup) }
        for body in try await fetcher.fetch(warmups) { _ = try verifier.reading(of: body, by: request.verification) }
        if request.warmsTarget {
            // Any failure is left to the measured fetch.
            _ = try? await fetcher.fetch(
                FetchRequest(url: target, method: .head, destination: request.directory + "/header.body"))
        }
        try renderer.warmUp()
    }

    /// The URLs of the fetches at once: of each member of a set, or of the one asset.
    private func targets() throws(FetchFailure) -> [URL] {
        guard let members = request.members else {
            return Array(repeating: target, count: max(1, request.conditions?.concurrency ?? 1))
        }
        let urls = members.compactMap { URL(string: $0.url) }
        guard urls.count == members.count else { throw FetchFailure(.other, "a URL of the set cannot be parsed") }
        return urls
    }

    private func requests(of urls: [URL], to name: String, for renderer: any Renderer) -> [FetchRequest] {
        let folder = request.destinationDirectory ?? request.directory
        return urls.enumerated().map { index, url in
            let suffix = index == 0 ? "" : "-\(index + 1)"
            var asked = FetchRequest(url: url, destination: "\(folder)/\(name)\(suffix).body")
            asked.consumer = renderer.makeConsumer()
            return asked
        }
    }
}

extension PictureReading {
    /// Creates the reading of pictures that modes show themselves; `nil` for none.
    package init?(showing pictures: [any ShownPicture]) {
        guard let picture = pictures.last else { return nil }
        // Each picture reports the sum of all.
        let bitmaps = pictures.map(\.bitmapByteCount).max() ?? 0
        self.init(width: picture.width, height: picture.height, bitmapByteCount: ByteCount(bitmaps))
        fallbackCount = pictures.count(where: \.isFallback)
    }

    /// Creates the reading of a picture; `nil` if nothing was decoded.
    init?(_ picture: any RenderedImage) {
        guard let width = picture.decodedWidth, let height = picture.decodedHeight else { return nil }
        self.init(
            width: width, height: height, bitmapByteCount: ByteCount(picture.bitmapByteCount), note: picture.note)
    }
}

/// The course of a trial with a scenario: the phases of every trial, with a player in place of one fetch.
final class ScenarioCourse: Course {
    private(set) var report: TrialReport
    private(set) var phase = Phase.idle
    private let scenario: any Scenario
    private let stage: ScenarioStage
    private var marker: TrialMarker

    init(
        _ scenario: any Scenario, on stage: ScenarioStage, into report: TrialReport
    ) throws(MemProbeError) {
        (self.scenario, self.stage, self.report) = (scenario, stage, report)
        self.report.phases.reserveCapacity(Phase.measured.count)
        marker = try TrialMarker()
    }

    func run() async throws {
        phase = .warmup
        let plantedAtStart = PlantedMemory(byteCount: stage.request.plantedAtStartByteCount ?? 0)
        let player = try await scenario.makePlayer(on: stage)
        try await player.warmUp()
        report.baseline = try marker.baseline(after: .standard)
        try await play(player)
        withExtendedLifetime(plantedAtStart) {}
        try await measure(.release) { await player.end() }
        try marker.settle(.standard, into: &report)
        report.scenario = try player.reading()
        report.body = report.scenario?.body
    }

    private func play(_ player: any ScenarioPlayer) async throws {
        let planted = try await measure(.fetch) {
            let planted = PlantedMemory(byteCount: stage.request.plantedByteCount)
            try await player.play()
            return planted
        }
        try await measure(.hold) { try await player.linger() }
        // A scenario renders while it plays; the empty phase is there for readers of columns.
        try await measure(.render) {}
        withExtendedLifetime(planted) {}
    }

    @discardableResult
    private func measure<Result>(_ phase: Phase, _ body: () async throws -> Result) async throws -> Result {
        self.phase = phase
        try marker.begin()
        let result = try await body()
        report.phases.append(try marker.end(phase))
        return result
    }
}
