// SPDX-License-Identifier: Apache-2.0

package struct ConcurrencyScenario: Scenario {
    package let name = "concurrency"
    package let summary = "20 assets with limited concurrency: 5x2 is five downloads and two decodes"
    package let usualCount: Int? = 20
    package let needs = ScenarioNeeds(abilities: [.concurrency], rendering: .any)
    package let variants =
        Slots.choices.map { slots in
            ScenarioVariant(slots.word, "\(slots.downloads) concurrent downloads and \(slots.decodes) decodes")
        } + [
            ScenarioVariant(
                Slots.unlimitedWord, "no limit of concurrent downloads and decodes, on purpose",
                isControl: true)
        ]

    package func makePlayer(on stage: ScenarioStage) async throws -> any ScenarioPlayer {
        let count = stage.choice.count ?? usualCount ?? 1
        return try ConcurrencyPlayer(
            stage, count: count, slots: Slots(stage.choice.variant, of: count))
    }

    /// The limits of concurrent downloads and decodes.
    struct Slots: Hashable, Sendable {
        static let unlimitedWord = "unlimited"

        let downloads: Int
        let decodes: Int

        static let choices = [1, 2, 5, 10].flatMap { downloads in
            [1, 2, 5].map { Slots(downloads: downloads, decodes: $0) }
        }

        var word: String { "\(downloads)x\(decodes)" }
    }
}

extension ConcurrencyScenario.Slots {
    /// Creates the slots of a variant, or 5x2 without one.
    init(_ word: String?, of count: Int) {
        if word == Self.unlimitedWord {
            self.init(downloads: count, decodes: count)
        } else {
            self = Self.choices.first { $0.word == word } ?? ConcurrencyScenario.Slots(downloads: 5, decodes: 2)
        }
    }
}

extension ConcurrencyScenario {
    package var question: String? { "how much concurrency is worth its memory?" }

    package var figures: [FigureDeclaration] {
        [
            FigureDeclaration(
                "download_slots_ratio", short: "download_slots", .ratio,
                "concurrency: maximum number of concurrent downloads", better: .neither, heading: "slots", style: .count
            ),
            FigureDeclaration(
                "peak_per_slot_bytes", short: "slot_peak", .bytes,
                "concurrency: peak growth for each allowed concurrent download", heading: "peak per slot",
                style: .growth,
                quotient: FigureQuotient(of: "peak_resident_growth_bytes", by: ["download_slots_ratio"])),
            FigureDeclaration(
                "slots_duration_ns", short: "slots_time", .nanoseconds, "concurrency: time until all are done",
                heading: "time, ms", quotient: FigureQuotient(of: "fetch_duration_ns")),
            FigureDeclaration(
                "most_downloads_ratio", short: "most_downloads", .ratio,
                "concurrency: most concurrent downloads", better: .neither, heading: "concurrent downloads",
                style: .count),
            FigureDeclaration(
                "most_decodes_ratio", short: "slot_decodes", .ratio,
                "concurrency: most concurrent decodes", better: .neither, heading: "concurrent decodes",
                style: .count),
        ]
    }

    package var legend: [String] {
        [
            "5x2: five concurrent downloads and two decodes. A download frees its slot when its body is complete: bodies that",
            "wait for a decode are held. The last columns are the most concurrent ones; clients may open a connection for",
            "each slot. One queue drives every session of URLSession on Linux, so that its times show that queue.",
        ]
    }
}
