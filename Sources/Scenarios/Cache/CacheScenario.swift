// SPDX-License-Identifier: Apache-2.0

import ImageLoading
package import TrialKit

/// The same pictures asked for again: which layer answers, what its hits cost, and what it holds.
package struct CacheScenario: Scenario {
    package let name = "cache"
    package let summary =
        "a set of pictures asked for again after a restart: from files, from memory, revalidated; under a loader's policy"
    package let usualAsset: String? = "gallery"
    package let needs = ScenarioNeeds(abilities: [.concurrency], body: true, set: true, loader: true)
    package var loaders: [LoaderDeclaration] { LoaderPolicy.all.map(\.declaration) }

    package let variants = [
        ScenarioVariant(
            Variant.encodedCost.rawValue, "counts the encoded bytes of pictures of their own size", isControl: true),
        ScenarioVariant(Variant.noCoalescing.rawValue, "shares no fetch", isControl: true),
        ScenarioVariant(Variant.fill.rawValue, "only fetches all into the files, as the others let it do before them"),
    ]

    /// What differs from asking again.
    enum Variant: String {
        case encodedCost = "encoded-cost"
        case noCoalescing = "no-coalescing"
        case fill

        /// Makes a policy do what is wrong.
        func change(_ policy: inout LoaderPolicy) {
            switch self {
            case .encodedCost:
                policy.downsampling = .none
                policy.memory = LoaderPolicy.Memory(limit: .screens(1), cost: .encoded)
            case .noCoalescing:
                policy.coalesces = false
                policy.downloadsAtOnce = nil
            case .fill:
                break
            }
        }
    }

    /// Creates the scenario.
    package init() {}

    package func makePlayer(on stage: ScenarioStage) async throws -> any ScenarioPlayer {
        let variant = stage.choice.variant.flatMap(Variant.init(rawValue:))
        guard variant != .fill else { return try CacheFiller(stage) }
        // In a process of its own: what fetching everything leaves in an allocator is not what a hit costs.
        try await CacheFiller.runInChild(of: stage)
        return try CachePlayer(stage, variant: variant)
    }
}
