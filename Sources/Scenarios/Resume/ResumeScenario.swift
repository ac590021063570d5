// SPDX-License-Identifier: Apache-2.0

package import TrialKit

/// A scenario that kills a process while its body arrives, and resumes the download in a new one.
package struct ResumeScenario: Scenario {
    package let name = "resume"
    package let summary =
        "a process is killed (SIGKILL) at a random byte of its download; a new one goes on from state on disk"
    package let usualAsset: String? = "16MiB"
    package let needs = ScenarioNeeds(abilities: [.resuming], body: true, rendering: .none, origin: true, length: true)

    package let variants = [
        ScenarioVariant(Variant.tenth.rawValue, "killed when a tenth of the body has arrived"),
        ScenarioVariant(Variant.half.rawValue, "killed when half of it has arrived"),
        ScenarioVariant(Variant.most.rawValue, "killed when nine tenths of it have arrived"),
        ScenarioVariant(
            Variant.pause.rawValue, "no process is killed: one cancels, holds still and goes on",
            abilities: [.cancellation]),
        ScenarioVariant(Variant.changed.rawValue, "the interrupted download was of another version of the body"),
        ScenarioVariant(Variant.noRanges.rawValue, "the server knows no ranges"),
        ScenarioVariant(
            Variant.memory.rawValue, "keeps its state in memory only, so received bytes are fetched again",
            isControl: true),
    ]

    /// The point of the cut, and the changes after it.
    enum Variant: String {
        case tenth = "at-10"
        case half = "at-50"
        case most = "at-90"
        case pause
        case changed
        case noRanges = "no-ranges"
        case memory
    }

    package init() {}

    package func makePlayer(on stage: ScenarioStage) async throws -> any ScenarioPlayer {
        if let part = stage.request.scenarioPart { return try CutPlayer(stage, part) }
        return try await ResumePlayer(stage, variant: stage.choice.variant.flatMap(Variant.init(rawValue:)))
    }
}

extension ResumeScenario.Variant? {
    /// Returns the bytes after which a body is cut, from 1 to its size less 1, drawn from the seed by default.
    func offset(in byteCount: Int, seed: UInt64) -> Int {
        let wanted =
            switch self {
            case .tenth: byteCount / 10
            case .half, .pause, .changed, .noRanges, .memory: byteCount / 2
            case .most: byteCount / 10 * 9
            case nil: Self.drawn(from: seed, in: byteCount)
            }
        return min(max(1, wanted), byteCount - 1)
    }
}
