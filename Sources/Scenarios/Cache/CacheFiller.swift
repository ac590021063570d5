// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import ImageLoading
import MemProbe
import Rendering
import TrialKit

/// Gets every picture of the set into the file cache; of those that are there already it tells what holding them costs.
///
/// Both are asked of processes of their own: neither what fetching leaves in an allocator nor what is held to be weighed
/// belongs to the trial.
final class CacheFiller: ScenarioPlayer {
    private static let hitCopies = "cache_file_hit_copies_ratio"

    private let parts: LoaderStage
    private let stage: ScenarioStage
    private let urls: [URL]
    private var probe: ProcessProbe
    private var copies: Double?

    init(_ stage: ScenarioStage) throws {
        self.stage = stage
        parts = try LoaderStage(stage, assets: stage.members)
        urls = try stage.members.map { asset throws(FetchFailure) in try LoaderStage.url(asset) }
        probe = try ProcessProbe(.current)
    }

    func warmUp() async throws {
        // What is read around the file hits is read once before.
        _ = try anonymousByteCount()
    }

    func play() async throws {
        guard try await weighHits() < urls.count else { return }
        let view = PixelSize(width: 8, height: 8)
        for url in urls {
            do throws(LoadFailure) {
                _ = try await parts.loader.picture(at: url, for: view)
            } catch {
                // What cannot be decoded is in the files all the same.
                if case .fetch(let failure) = error { throw failure }
            }
        }
    }

    func end() async {
        await parts.fetcher.invalidate()
    }

    func reading() -> ScenarioReading {
        var figures = ["scenario_requests": Double(parts.loader.journal.counts.requests)]
        figures[Self.hitCopies] = copies
        return ScenarioReading(figures: figures, remarks: parts.remarks)
    }

    /// Fills the files in another process of this program, and lets a further one weigh what hits in them hold.
    /// - Returns: The anonymous memory of hits ÷ their sizes, or `nil` where the policy has no files.
    static func fill(for stage: ScenarioStage) async throws -> Double? {
        guard try LoaderStage.policy(stage, { _ in }).files != nil else { return nil }
        _ = try await reportOfTwin(stage)
        return try await reportOfTwin(stage).scenario?.figures[hitCopies]
    }

    /// What another process of this program comes to that is told the same trial with this variant.
    private static func reportOfTwin(_ stage: ScenarioStage) async throws -> TrialReport {
        var request = stage.request
        var conditions = stage.conditions
        conditions.scenario.variant = CacheScenario.Variant.fill.rawValue
        request.conditions = conditions
        request.plantedByteCount = 0
        request.plantedAtStartByteCount = nil
        let answer = try await ProgramTwin.answer(to: try JSONEncoder().encode(request))
        let report = try JSONDecoder().decode(TrialReport.self, from: answer)
        if let failure = report.failure {
            throw FetchFailure(
                FetchFailure.Code(rawValue: failure.code), "while the files were filled: \(failure.detail)")
        }
        return report
    }

    /// Holds all images that are in the files at once, read whole: the anonymous memory that takes, in bodies.
    /// - Returns: How many there are.
    private func weighHits() async throws -> Int {
        guard let files = parts.loader.files, files.account.entryCount > 0 else { return 0 }
        var held: [EncodedImage] = []
        held.reserveCapacity(urls.count)
        let before = try anonymousByteCount()
        for url in urls {
            guard let image = await files.image(for: ImageKey(url: url.absoluteString))?.encoded else { continue }
            try image.bytes.withBytes { bytes throws(RenderFailure) in FileBytes.touch(bytes) }
            held.append(image)
        }
        let growth = try anonymousByteCount() - before
        let total = held.reduce(0) { $0 + $1.byteCount }
        if total > 0 { copies = Double(growth) / Double(total) }
        return held.count
    }

    private func anonymousByteCount() throws -> Int {
        let resident = try probe.resident()
        return (resident.resident - resident.shared).rawValue
    }
}

/// Reads bytes so that the compiler does not leave it out.
private enum FileBytes {
    /// Reads one byte of each page.
    @inline(never)
    static func touch(_ bytes: UnsafeRawBufferPointer) {
        var sum: UInt8 = 0
        for place in stride(from: 0, to: bytes.count, by: 4096) { sum &+= bytes[place] }
        withExtendedLifetime(sum) {}
    }
}
