// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import ImageLoading
import MemProbe
import Rendering
import TrialKit

/// What the scenarios have in common that load pictures: the policy, its loader, and what they are checked by.
struct LoaderStage {
    let policy: LoaderPolicy
    let loader: ImageLoader
    let fetcher: CheckedFetcher
    let ledger: BitmapLedger
    private let modeName: String

    /// Makes a loader of the policy that the trial's conditions name, changed as a control wants it.
    /// - Parameter fileLimit: The most bytes of the file cache, or `nil` for no limit.
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

    /// Fetches 1 KiB as often at once as the policy fetches, and decodes a picture of a few pixels.
    func warmUp(_ stage: ScenarioStage) async throws {
        let requests = (0..<(policy.downloadsAtOnce ?? 6)).map { number in
            FetchRequest(url: stage.warmup, destination: "\(stage.directory)/warmup-\(number).body")
        }
        for request in requests { try await fetcher.prepare(for: request) }
        _ = try await fetcher.fetch(requests)
        try DecodingModel.thumbnail(ledger: BitmapLedger()).makeRenderer(stage.rendering).warmUp()
    }

    /// What a reader has to know: that this is a model, by which mode if not by the closest one, and which figures it
    /// follows.
    var remarks: [String] {
        [policy.title + (modeName == policy.closestMode ? "" : ", by mode \(modeName)")]
            + policy.figures.map { "\($0.subject): \($0.text) (\($0.source))" }
    }

    /// The URL of an asset.
    static func url(_ asset: ScenarioAsset) throws(FetchFailure) -> URL {
        guard let url = URL(string: asset.url) else { throw FetchFailure(.other, "the URL of \(asset.name) is none") }
        return url
    }
}

extension LoaderPolicy {
    /// What a harness shows of a policy.
    var declaration: LoaderDeclaration {
        LoaderDeclaration(
            name: name, title: title, closestMode: closestMode,
            figures: figures.map { "\($0.subject): \($0.text) (\($0.source))" })
    }
}
