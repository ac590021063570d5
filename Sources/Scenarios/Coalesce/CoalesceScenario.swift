// SPDX-License-Identifier: Apache-2.0

import ImageLoading
package import TrialKit

/// A scenario with one picture for many cells at the same time: how often it is fetched, decoded and held.
package struct CoalesceScenario: Scenario {
    package let name = "coalesce"
    package let summary = "one URL for 12 cells at the same time, one of which leaves, under a loader's policy"
    package let usualAsset: String? = "gallery"
    package let needs = ScenarioNeeds(abilities: [.concurrency], body: true, loader: true)
    package var loaders: [LoaderDeclaration] { LoaderPolicy.all.map(\.declaration) }

    package let variants = [ScenarioVariant(Self.off, "shares nothing", isControl: true)]

    private static let off = "off"

    package init() {}

    package func makePlayer(on stage: ScenarioStage) async throws -> any ScenarioPlayer {
        try CoalescePlayer(stage, isShared: stage.choice.variant != Self.off)
    }
}
