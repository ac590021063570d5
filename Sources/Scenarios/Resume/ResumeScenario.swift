// SPDX-License-Identifier: Apache-2.0

package import TrialKit

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

    /// Returns a uniformly distributed position in a body.
    private static func drawn(from seed: UInt64, in byteCount: Int) -> Int {
        var generator = TraceGenerator(seed: seed)
        return Int.random(in: 1..<byteCount, using: &generator)
    }
}

extension ResumeScenario {
    package var question: String? { "which bytes are fetched twice after an interrupted download?" }

    package var figures: [FigureDeclaration] {
        [
            FigureDeclaration(
                "refetched_bytes", short: "refetched", .bytes,
                "resume: bytes that the killed process had read and the next one fetched again",
                heading: "fetched twice, B", style: .count, decides: DecidingStep(65_536, visible: 1_048_576)),
            FigureDeclaration(
                "refetched_ratio", short: "refetched_share", .ratio, "resume: refetched_bytes ÷ size",
                heading: "of the body", style: .percent),
            FigureDeclaration(
                "cut_received_bytes", short: "cut_received", .bytes,
                "resume: bytes of the body that the first process had read from its connection when it was cut",
                better: .neither, heading: "had arrived, B", style: .count),
            FigureDeclaration(
                "cut_kept_bytes", short: "cut_kept", .bytes,
                "resume: bytes of the body that were on disk when it was cut", better: .neither, heading: "on disk, B",
                style: .count),
            FigureDeclaration(
                "cut_underway_bytes", short: "cut_underway", .bytes,
                "resume: bytes of the body that the origin sent and the first process did not live to read",
                better: .neither, heading: "under way, B", style: .count),
            .requests(),
            FigureDeclaration(
                "paused_held_bytes", short: "paused", .bytes,
                "resume:pause: resident memory that a paused download holds", heading: "held in a pause", style: .growth
            ),
        ]
    }

    package var legend: [String] {
        [
            "The growth is that of the process that continues; the previous one was killed while its body arrived. *Fetched",
            "twice*: bytes that it had read from its connection (sent by the origin and no longer in its socket) and that the",
            "next process fetched again; a pause has no bytes in transit. *changed* and *no-ranges* have to fetch the whole body",
            "again. URLSession has no resume data on Linux: `stream` requests the rest itself, as the other modes do. The trace",
            "of each trial has the position of the cut.",
        ]
    }

    /// The bytes that a process may have read and not written yet: one piece of a body.
    private static let onePiece = 64.0 * 1024

    static func conclusion(refetched byteCount: Double, as variant: Variant?) -> String {
        guard byteCount > onePiece else { return "goes on where it ended" }
        let cannot = variant == .changed || variant == .noRanges
        return cannot ? "fetches all of it again, as it has to" : "refetches received bytes"
    }
}
