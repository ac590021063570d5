// SPDX-License-Identifier: Apache-2.0

package import TrialKit

/// A download whose process is killed while its body arrives, and a new process that goes on with it.
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
        ScenarioVariant(Variant.changed.rawValue, "what was cut was another version of the body"),
        ScenarioVariant(Variant.noRanges.rawValue, "the server knows no ranges"),
        ScenarioVariant(
            Variant.memory.rawValue, "keeps its state in memory, on purpose: what had arrived is fetched again",
            isControl: true),
    ]

    /// Where the first process is killed, and what is different afterwards.
    enum Variant: String {
        case tenth = "at-10"
        case half = "at-50"
        case most = "at-90"
        case pause
        case changed
        case noRanges = "no-ranges"
        case memory
    }

    /// Creates the scenario.
    package init() {}

    package func makePlayer(on stage: ScenarioStage) async throws -> any ScenarioPlayer {
        if let part = stage.request.scenarioPart { return try CutPlayer(stage, part) }
        return try await ResumePlayer(stage, variant: stage.choice.variant.flatMap(Variant.init(rawValue:)))
    }
}

extension ResumeScenario.Variant? {
    /// After how many bytes of a body it is cut: at least one, and not the last one.
    /// - Parameter seed: What a place is drawn from, where none is given.
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
