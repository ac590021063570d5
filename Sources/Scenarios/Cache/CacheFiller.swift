// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import ImageLoading
import MemProbe
import Rendering
import TrialKit

/// A player that fetches every picture into the file cache, or weighs the hits in a filled one.
///
/// Both run in processes of their own, so that neither an allocator's remains of fetching nor the weighed images belong
/// to the trial.
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
        // Loads what is read around the file hits.
        _ = try anonymousByteCount()
    }

    func play() async throws {
        guard try await weighHits() < urls.count else { return }
        let view = PixelSize(width: 8, height: 8)
        for url in urls {
            do throws(LoadFailure) {
                _ = try await parts.loader.picture(at: url, for: view)
            } catch {
                // An image that cannot be decoded is stored anyway.
                if case .fetch(let failure) = error { throw failure }
            }
        }
    }

    func end() async { await parts.fetcher.invalidate() }

    func reading() -> ScenarioReading {
        var figures = ["scenario_requests": Double(parts.loader.journal.counts.requests)]
        figures[Self.hitCopies] = copies
        return ScenarioReading(figures: figures, remarks: parts.remarks)
    }

    /// Fills the files in another process of this program and weighs hits in a second one.
    ///
    /// - Returns: The anonymous memory of hits ÷ their sizes, or `nil` if the policy has no files.
    static func fill(for stage: ScenarioStage) async throws -> Double? {
        guard try LoaderStage.policy(stage, { _ in }).files != nil else { return nil }
        _ = try await reportOfTwin(stage)
        return try await reportOfTwin(stage).scenario?.figures[hitCopies]
    }

    /// Returns the report of another process of this program that runs the same trial with the variant `fill`.
    private static func reportOfTwin(_ stage: ScenarioStage) async throws -> TrialReport {
        var request = stage.request
        var conditions = stage.conditions
        conditions.scenario.variant = CacheScenario.Variant.fill.rawValue
        request.conditions = conditions
        request.plantedByteCount = 0
        request.plantedAtStartByteCount = nil
        let answer = try await OwnProgram.relaunchedAnswer(to: try JSONEncoder().encode(request))
        let report = try JSONDecoder().decode(TrialReport.self, from: answer)
        if let failure = report.failure {
            throw FetchFailure(
                FetchFailure.Code(rawValue: failure.code), "while the files were filled: \(failure.detail)")
        }
        return report
    }

    /// Measures the anonymous memory of all images from the files, held at once; returns their number.
    private func weighHits() async throws -> Int {
        guard let files = parts.loader.files, files.account.entryCount > 0 else { return 0 }
        var held: [EncodedImage] = []
        held.reserveCapacity(urls.count)
        let before = try anonymousByteCount()
        for url in urls {
            guard let image = await files.image(for: ImageKey(url: url.absoluteString))?.encoded else { continue }
            try image.bytes.withBytes { bytes throws(RenderFailure) in touchPages(of: bytes) }
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

/// Reads one byte of each page; not inlined, so that the compiler does not remove it.
@inline(never)
private func touchPages(of bytes: UnsafeRawBufferPointer) {
    var sum: UInt8 = 0
    for place in stride(from: 0, to: bytes.count, by: 4096) { sum &+= bytes[place] }
    withExtendedLifetime(sum) {}
}
