// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import ImageLoading
import MemProbe
import Rendering
import TrialKit

/// The policy, loader and checks shared by the scenarios that load pictures.
struct LoaderStage {
    let policy: LoaderPolicy
    let loader: ImageLoader
    let fetcher: CheckedFetcher
    let ledger: BitmapLedger
    private let modeName: String

    /// Creates a loader of the conditions' policy, modified by a control, with a limit of the file cache in bytes.
    init(
        _ stage: ScenarioStage, assets: [ScenarioAsset], fileLimit: Int? = nil,
        changing change: (inout LoaderPolicy) -> Void = { _ in }
    ) throws {
        policy = try Self.policy(stage, change)
        modeName = stage.mode.name
        fetcher = CheckedFetcher(
            try stage.makeFetcher(), knowing: assets, by: stage.settings.verification)
        ledger = BitmapLedger()
        var world = LoaderWorld(
            folder: stage.directory, limits: stage.rendering, ledger: ledger, fileLimit: fileLimit
        ) {
            .nanoseconds(MonotonicClock.now())
        }
        world.checksContent = true
        loader = try ImageLoader(policy, fetcher: fetcher, in: world)
    }

    static func policy(_ stage: ScenarioStage, _ change: (inout LoaderPolicy) -> Void) throws(FetchFailure)
        -> LoaderPolicy
    {
        guard var policy = LoaderPolicy.named(stage.conditions.loader) else {
            throw FetchFailure(.other, "no loader's policy is named \(stage.conditions.loader)")
        }
        change(&policy)
        return policy
    }

    /// Fetches 1 KiB as often at once as the policy allows, and decodes a tiny picture.
    func warmUp(_ stage: ScenarioStage) async throws {
        let requests = (0..<(policy.downloadsAtOnce ?? 6)).map { number in
            FetchRequest(url: stage.warmup, destination: "\(stage.directory)/warmup-\(number).body")
        }
        for request in requests { try await fetcher.prepare(for: request) }
        _ = try await fetcher.fetch(requests)
        try DecodingModel.thumbnail(ledger: BitmapLedger()).makeRenderer(stage.rendering).warmUp()
    }

    /// Ends all fetches, empties the memory cache, and returns the final counts.
    func end() async -> LoaderCounts {
        await fetcher.invalidate()
        let counts = loader.journal.counts
        loader.memory?.removeAll()
        return counts
    }

    /// Remarks for readers: that this is a model, its mode if not the closest one, and the figures of the policy.
    var remarks: [String] {
        [policy.title + (modeName == policy.closestMode ? "" : ", by mode \(modeName)")]
            + policy.declaration.figures
    }

    static func url(_ asset: ScenarioAsset) throws(FetchFailure) -> URL {
        guard let url = URL(string: asset.url) else { throw FetchFailure(.other, "the URL of \(asset.name) is none") }
        return url
    }
}

extension LoaderPolicy {
    /// The description of a policy for the harness.
    var declaration: LoaderDeclaration {
        LoaderDeclaration(
            name: name, title: title, closestMode: closestMode,
            figures: figures.map { "\($0.subject): \($0.text) (\($0.source))" })
    }
}
