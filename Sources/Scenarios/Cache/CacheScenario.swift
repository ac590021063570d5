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
            case .fill, .smallDisk: break
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

extension CacheScenario {
    package var question: String? {
        "which tier serves pictures that are requested again, and how much memory does it hold?"
    }

    package var figures: [FigureDeclaration] { Self.hits + Self.sizes }

    private static let hits = [
        FigureDeclaration(
            "cache_file_hit_ratio", short: "file_hits", .ratio,
            "cache: hits in files ÷ pictures asked for after a restart", better: .higher,
            heading: "file hits after a restart", style: .percent),
        FigureDeclaration(
            "cache_file_hit_copies_ratio", short: "file_hit_k", .ratio,
            "cache: anonymous memory that hits in files hold, read whole, ÷ their sizes (0 mapped, 1 read)",
            heading: "k of a file hit", decides: DecidingStep(0.02, visible: 0.1)),
        FigureDeclaration(
            "cache_memory_hit_ratio", short: "memory_hits", .ratio,
            "cache: hits in memory ÷ pictures requested again immediately", better: .higher, heading: "memory hits",
            style: .percent),
        FigureDeclaration(
            "cache_revalidated_ratio", short: "revalidated", .ratio,
            "cache: answers without a body ÷ pictures asked whether they still hold", better: .higher,
            heading: "revalidated", style: .percent),
        FigureDeclaration(
            "cache_requests_for_one", short: "requests_for_one", .ratio,
            "cache: requests for one URL that 12 ask for at the same time", heading: "requests for one URL",
            style: .count, decides: .one, suspect: SuspectLimit(above: 1, "a request for each caller")),
        .requests(decides: .one),
    ]

    private static let sizes = [
        FigureDeclaration(
            "cache_limit_bytes", short: "cache_limit", .bytes, "cache: the limit of the memory cache", better: .neither,
            heading: "limit"),
        FigureDeclaration(
            "cache_held_bytes", short: "cache_held", .bytes, "cache: maximum size of the memory cache",
            better: .neither, heading: "held"),
        FigureDeclaration(
            "cache_held_ratio", short: "held_of_limit", .ratio,
            "cache: maximum size of the memory cache ÷ its limit", heading: "held ÷ limit"),
        FigureDeclaration(
            "cache_overshoot_bytes", short: "overshoot", .bytes, "cache: memory cache above its limit",
            heading: "over the limit"),
        FigureDeclaration(
            "cache_files_overshoot_bytes", short: "files_overshoot", .bytes,
            "cache: files above the limit of the folder, including those being written",
            heading: "files over their limit"),
    ]

    package var legend: [String] {
        [
            "Another process fills the file cache before the trial. Then all pictures are requested (file hits), the last four",
            "again (memory hits), all with their entity tags (revalidated), and one by 12 concurrent callers, fetched again.",
            "*k of a file hit*: the anonymous memory of all hits together, read whole, ÷ their sizes, measured in another",
            "process. Files above the limit of the folder are those being written.",
        ]
    }

    /// The maximum memory of a mapped file hit, relative to its size.
    private static let mappedHit = 0.02

    /// Returns the flaws of a policy's caches; caches that it does not have are not considered.
    package static func conclusions(of figures: [String: Double]) -> [String] {
        var words: [String] = []
        if let held = figures["cache_held_bytes"] {
            if let limit = figures["cache_limit_bytes"] {
                if held > limit + (figures["cache_largest_picture_bytes"] ?? 0) {
                    words.append("holds more than its limit")
                }
            } else {
                words.append("no limit of memory")
            }
        }
        if let copies = figures["cache_file_hit_copies_ratio"] {
            if copies > mappedHit { words.append("file hits are copied") }
        } else if figures["cache_files_bytes"] != nil {
            words.append("missing figure: cache_file_hit_copies_ratio")
        }
        return words
    }
}
