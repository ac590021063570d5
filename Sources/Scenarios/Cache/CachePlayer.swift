// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import ImageLoading
import Rendering
import TrialKit

/// A player that requests the same pictures repeatedly, as a relaunched app would, and records which tier answers.
final class CachePlayer: ScenarioPlayer {
    private struct Round {
        var asked = 0
        var memoryHits = 0
        var fileHits = 0
        var revalidated = 0
    }

    private static let recentCount = 4
    private static let askerCount = 12

    private let parts: LoaderStage
    private let stage: ScenarioStage
    private let urls: [URL]
    private let view: PixelSize
    private var rounds: [String: Round] = [:]
    private let hitCopies: Double?
    private var largestPicture = 0
    private var mostRequestsForOne = 0
    private var memory: CacheAccount?
    private var files: CacheAccount?
    private var counts = LoaderCounts()

    init(_ stage: ScenarioStage, variant: CacheScenario.Variant?, hitCopies: Double?) throws {
        (self.stage, self.hitCopies) = (stage, hitCopies)
        parts = try LoaderStage(stage, assets: stage.members, fileLimit: variant?.fileLimit(for: stage.members)) {
            variant?.change(&$0)
        }
        urls = try stage.members.map { asset throws(FetchFailure) in try LoaderStage.url(asset) }
        view = PixelSize(width: stage.rendering.viewWidth / 3, height: stage.rendering.viewHeight / 4)
    }

    func warmUp() async throws { try await parts.warmUp(stage) }

    func play() async throws {
        try await ask("restarted", urls)
        try await ask("recent", urls.suffix(Self.recentCount))
        if stage.mode.abilities.contains(.revalidation), parts.policy.files != nil {
            try await ask("revalidated", urls, .revalidated)
        }
        try await askAtOnce()
        if let wrong = parts.fetcher.wrongBody { throw wrong }
        memory = parts.loader.memory?.account
        files = parts.loader.files?.account
    }

    func end() async { counts = await parts.end() }

    func reading() throws -> ScenarioReading {
        var figures: [String: Double] = [
            "scenario_requests": Double(counts.requests), "scenario_decodes": Double(counts.decodes),
            "cache_requests_for_one": Double(mostRequestsForOne),
        ]
        figures["cache_file_hit_copies_ratio"] = hitCopies
        figures["cache_largest_picture_bytes"] = Double(largestPicture)
        figures["cache_file_hit_ratio"] = share("restarted", \.fileHits)
        figures["cache_memory_hit_ratio"] = share("recent", \.memoryHits)
        figures["cache_revalidated_ratio"] = share("revalidated", \.revalidated)
        if let memory {
            figures["cache_held_bytes"] = Double(memory.highestByteCount)
            figures["cache_limit_bytes"] = memory.limit.map(Double.init)
            if let limit = memory.limit {
                figures["cache_held_ratio"] = Double(memory.highestByteCount) / Double(limit)
                figures["cache_overshoot_bytes"] = Double(memory.overshoot)
            }
        }
        if let files {
            figures["cache_files_bytes"] = Double(files.highestByteCount)
            if files.limit != nil { figures["cache_files_overshoot_bytes"] = Double(files.overshoot) }
        }
        return ScenarioReading(
            figures: figures, remarks: parts.remarks, conclusions: CacheScenario.conclusions(of: figures))
    }

    private func share(_ round: String, _ hits: KeyPath<Round, Int>) -> Double? {
        rounds[round].flatMap { $0.asked > 0 ? Double($0[keyPath: hits]) / Double($0.asked) : nil }
    }

    /// Requests pictures, a few at a time, and records which tier answers.
    private func ask(_ name: String, _ urls: some Sequence<URL>, _ freshness: Freshness = .cached) async throws {
        let before = parts.loader.journal.counts
        var round = Round()
        var rest = Array(urls)[...]
        while !rest.isEmpty {
            try await look(at: rest.prefix(Self.recentCount), freshness)
            round.asked += rest.prefix(Self.recentCount).count
            rest = rest.dropFirst(Self.recentCount)
        }
        let after = parts.loader.journal.counts
        round.memoryHits = after.memoryHits - before.memoryHits
        round.fileHits = after.fileHits - before.fileHits
        round.revalidated = after.revalidated - before.revalidated
        rounds[name] = round
    }

    /// Requests some pictures at once, as the cells of a row do.
    private func look(at urls: some Sequence<URL>, _ freshness: Freshness) async throws {
        let (loader, view) = (parts.loader, view)
        let askers = urls.map { url in
            Task { () -> Result<LoadedPicture, LoadFailure> in
                do throws(LoadFailure) {
                    return .success(try await loader.picture(at: url, for: view, freshness))
                } catch {
                    return .failure(error)
                }
            }
        }
        for asker in askers {
            switch await asker.value {
            case .success(let picture): largestPicture = max(largestPicture, picture.bitmap.byteCount)
            case .failure(.fetch(let failure)): throw failure
            case .failure(.cancelled): throw FetchFailure(.other, "a request that stayed was cancelled")
            // An image that cannot be decoded is a hit, too.
            case .failure(.render): break
            }
        }
    }

    /// Requests one picture many times at once, reloaded, and counts its fetches.
    private func askAtOnce() async throws {
        guard let url = urls.first else { return }
        let before = parts.loader.journal.counts.requestsByURL[url.absoluteString] ?? 0
        try await look(at: repeatElement(url, count: Self.askerCount), .reloaded)
        mostRequestsForOne = (parts.loader.journal.counts.requestsByURL[url.absoluteString] ?? 0) - before
    }
}

extension OwnProgram {
    /// Starts this program again, as an application after its relaunch, sends it a document, and returns its answer after its end.
    static func relaunchedAnswer(to document: Data) async throws(FetchFailure) -> Data {
        try await DetachedThread.value { () throws(FetchFailure) in
            let twin = try OwnProgram()
            let process = try twin.start(["trial"])
            // If the process does not read it, its exit status shows that.
            _ = twin.send(document: document)
            let answer = twin.readAll()
            let ending = OwnProgram.ending(of: process)
            guard ending == OwnProgram.success else {
                throw FetchFailure(.other, "the program, started once more, ended \(ending)")
            }
            return Data(answer)
        }
    }
}
