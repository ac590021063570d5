// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import ImageLoading
import Rendering
import TrialKit

/// Fetches every picture of the set into the file cache, and nothing else.
final class CacheFiller: ScenarioPlayer {
    private let parts: LoaderStage
    private let stage: ScenarioStage

    init(_ stage: ScenarioStage) throws {
        self.stage = stage
        parts = try LoaderStage(stage, assets: stage.members)
    }

    func warmUp() async throws {}

    func play() async throws {
        let view = PixelSize(width: 8, height: 8)
        for asset in stage.members {
            let url = try LoaderStage.url(asset)
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
        ScenarioReading(
            figures: ["scenario_requests": Double(parts.loader.journal.counts.requests)], remarks: parts.remarks)
    }

    /// Does it in another process of this program, which is told the same trial with this variant.
    static func runInChild(of stage: ScenarioStage) async throws {
        guard try LoaderStage.policy(stage, { _ in }).files != nil else { return }
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
    }
}
