// SPDX-License-Identifier: Apache-2.0

package struct RepeatScenario: Scenario {
    package let name = "repeat"
    package let summary =
        "the same fetch N times in one process: memory left by each request, leaked or kept by the allocator"
    package let usualCount: Int? = 1000
    package let usualAsset: String? = "64KiB"
    package let needs = ScenarioNeeds(rendering: .any, concurrency: true)
    package let variants = [
        ScenarioVariant(
            Variant.cancel.rawValue, "each fetch is cancelled once a random part of its body has arrived",
            abilities: [.cancellation], needsOrigin: true, fetchesSingly: true),
        ScenarioVariant(
            Variant.keepBlock.rawValue, "keeps 64 bytes of the allocator's memory a request, on purpose",
            isControl: true),
        ScenarioVariant(Variant.keepBodies.rawValue, "keeps every body, on purpose", isControl: true),
        ScenarioVariant(
            Variant.newSession.rawValue, "a new session for each fetch, dropped without being invalidated",
            abilities: [.sessionConfiguration]),
        ScenarioVariant(
            Variant.invalidatedSession.rawValue, "a new session for each fetch, then finishTasksAndInvalidate()",
            abilities: [.sessionConfiguration]),
    ]

    package init() {}

    /// The differences from fetching and releasing.
    enum Variant: String {
        case cancel
        case keepBlock = "keep-64"
        case keepBodies = "keep-bodies"
        case newSession = "session"
        case invalidatedSession = "session-invalidated"
    }

    /// The fetches of the 1 KiB asset before the mark: the pools of AsyncHTTPClient and NIO take some 600 requests to
    /// fill, which no slope could tell from a leak.
    static let poolingCount = 1000
    /// The repetitions before the mark, so that buffers and arenas have their size.
    static let warmUpCount = 20

    package func makePlayer(on stage: ScenarioStage) async throws -> any ScenarioPlayer {
        try RepeatPlayer(
            stage, variant: stage.choice.variant.flatMap(Variant.init(rawValue:)),
            count: stage.choice.count ?? usualCount ?? 1)
    }
}
