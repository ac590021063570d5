// SPDX-License-Identifier: Apache-2.0

import ImageLoading
package import TrialKit

/// A scenario that requests the same pictures again: which tier answers, and what that holds.
package struct CacheScenario: Scenario {
    package let name = "cache"
    package let summary =
        "a set of pictures asked for again after a restart: from files, from memory, revalidated; under a loader's policy"
    package let usualAsset: String? = "gallery"
    package let needs = ScenarioNeeds(abilities: [.concurrency], body: true, set: true, loader: true)
    package var loaders: [LoaderDeclaration] { LoaderPolicy.all.map(\.declaration) }

    package let variants = [
        ScenarioVariant(
            Variant.encodedCost.rawValue, "counts the encoded bytes of pictures in original size", isControl: true),
        ScenarioVariant(Variant.noCoalescing.rawValue, "shares no fetch", isControl: true),
        ScenarioVariant(Variant.fill.rawValue, "only fetches all into the files, as the others let it do before them"),
        ScenarioVariant(
            Variant.smallDisk.rawValue, "limits files to half the size of the set, so each evicts others"),
    ]

    enum Variant: String {
        case encodedCost = "encoded-cost"
        case noCoalescing = "no-coalescing"
        case fill
        case smallDisk = "small-disk"

        func fileLimit(for assets: [ScenarioAsset]) -> Int? {
            self == .smallDisk ? assets.reduce(0) { $0 + $1.byteCount } / 2 : nil
        }

        func change(_ policy: inout LoaderPolicy) {
            switch self {
            case .encodedCost:
                policy.downsampling = .none
                policy.memory = LoaderPolicy.Memory(limit: .screenPercent(100), cost: .encoded)
            case .noCoalescing:
                policy.coalesces = false
                policy.downloadsAtOnce = nil
            case .fill, .smallDisk:
                break
            }
        }
    }

    package init() {}

    package func makePlayer(on stage: ScenarioStage) async throws -> any ScenarioPlayer {
        let variant = stage.choice.variant.flatMap(Variant.init(rawValue:))
        guard variant != .fill else { return try CacheFiller(stage) }
        let hitCopies = try await CacheFiller.fill(for: stage)
        return try CachePlayer(stage, variant: variant, hitCopies: hitCopies)
    }
}
