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

extension FigureDeclaration {
    /// The memory that a request leaves behind, as slopes of a player's series.
    static let slopes = [
        FigureDeclaration(
            "allocated_slope_bytes", short: "leak", .bytes,
            "repeat: bytes that each request leaves allocated, from the allocator's statistics (Theil–Sen)",
            heading: "allocated, B a request", style: .bytes,
            // Two of the allocator's smallest blocks; the checks plant a leak of 64 bytes.
            decides: DecidingStep(16, visible: 64), slopeOf: "allocated_bytes"),
        FigureDeclaration(
            "anonymous_slope_bytes", short: "anonymous_slope", .bytes,
            "repeat: anonymous memory added by each request", heading: "anonymous", style: .bytes,
            slopeOf: "anonymous_bytes"),
        FigureDeclaration(
            "resident_slope_bytes", short: "resident_slope", .bytes,
            "repeat: resident memory added by each request", heading: "resident", style: .bytes,
            slopeOf: "resident_bytes"),
    ]
}

extension RepeatScenario {
    package var question: String? { "does a request leave something behind?" }

    package var figures: [FigureDeclaration] { [.requests()] + FigureDeclaration.slopes + Self.returnCurve }

    /// The resident size at intervals after the last repetition.
    private static let returnCurve = [
        ("0s", "after 0 s", "0s after the last repetition"), ("100ms", "0.1 s", "100ms after the last repetition"),
        ("1s", "1 s", "1s after the last repetition"), ("5s", "5 s", "5s after the last repetition"),
        ("purge", "purge", "after a purge"),
    ].enumerated().map { index, moment in
        FigureDeclaration(
            "returned_after_\(moment.0)_bytes", short: "returned_\(moment.0)", .bytes,
            "repeat: resident \(moment.2), over the mark", heading: moment.1, style: .growth,
            readingOf: SeriesReading("returned_resident_bytes", at: index))
    }

    package var legend: [String] {
        [
            "Slopes by the Theil–Sen estimator. *leaks*: allocated memory grows with every request, beyond its 95 % interval",
            "or does so from some request on, and goes on when their number doubles (what rises is followed for up to 16,000",
            "requests); *undecided*: it rises, by less than a pool that fills (96 KiB); *kept by the allocator*: resident grows, allocated does not;",
            "*grows by B, then flat*: allocated memory levels off, like a cache that fills; *flat*: none of these, or less than",
            "1 MiB before it levels off. Caches of jemalloc's threads count as free, those of glibc's as allocated.",
            "The last columns are the return curve: resident over the mark after the last request, in MiB.",
        ]
    }
}
