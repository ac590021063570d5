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
        return try ConcurrencyPlayer(stage, count: count, slots: Slots(stage.choice.variant, of: count))
    }
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

extension Slots {
    /// Creates the slots of a variant, or 5x2 without one.
    init(_ word: String?, of count: Int) {
        if word == Self.unlimitedWord {
            self.init(downloads: count, decodes: count)
        } else {
            self = Self.choices.first { $0.word == word } ?? Slots(downloads: 5, decodes: 2)
        }
    }
}
