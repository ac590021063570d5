// SPDX-License-Identifier: Apache-2.0

import ImageLoading
package import TrialKit

/// A scenario with a scrolling list of pictures: what is held, fetched and left running beyond the visible.
package struct GalleryScenario: Scenario {
    package let name = "gallery"
    package let summary =
        "a list of pictures in 3 columns scrolls along a seeded trace; cells are reused, under a loader's policy"
    package let usualAsset: String? = "gallery"
    package let needs = ScenarioNeeds(abilities: [.concurrency], body: true, set: true, loader: true)
    package var loaders: [LoaderDeclaration] { LoaderPolicy.all.map(\.declaration) }

    package let variants = [
        ScenarioVariant(Variant.noCancel.rawValue, "cells that are reused cancel nothing", isControl: true),
        ScenarioVariant(Variant.noDecodeLimit.rawValue, "decodes without a limit of concurrency", isControl: true),
        ScenarioVariant(Variant.fullSize.rawValue, "decodes pictures at their own size", isControl: true),
    ]

    /// The intentional mistakes.
    enum Variant: String {
        case noCancel = "no-cancel"
        case noDecodeLimit = "no-decode-limit"
        case fullSize = "full-size"

        func change(_ policy: inout LoaderPolicy) {
            switch self {
            case .noCancel:
                policy.cancelling = .manual
            case .noDecodeLimit:
                policy.decodes = .none
                policy.decodeMemory = .unlimited
                policy.downloadsAtOnce = nil
            case .fullSize:
                policy.downsampling = .none
            }
        }
    }

    package init() {}

    package func makePlayer(on stage: ScenarioStage) async throws -> any ScenarioPlayer {
        try GalleryPlayer(stage, variant: stage.choice.variant.flatMap(Variant.init(rawValue:)))
    }
}
