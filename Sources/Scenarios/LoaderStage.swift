// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import ImageLoading
import MemProbe
import Rendering
import Synchronization
package import TrialKit

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
        ) { .nanoseconds(MonotonicClock.now()) }
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
        guard let url = URL(string: asset.url) else { throw FetchFailure(.other, "invalid URL of \(asset.name)") }
        return url
    }
}

extension LoaderPolicy {
    var declaration: LoaderDeclaration {
        LoaderDeclaration(
            name: name, title: title, closestMode: closestMode,
            figures: figures.map { "\($0.subject): \($0.text) (\($0.source))" })
    }
}

/// A fetcher that verifies every body against the assets known to the harness.
package final class CheckedFetcher: Fetcher {
    private let fetcher: any Fetcher
    private let known: [String: ScenarioAsset]
    private let verification: Verification
    private let verifier = Mutex(BodyVerifier())
    private let failure = Mutex<FetchFailure?>(nil)
    private let unknown = Mutex<[String: AgreedBody]>([:])

    /// Creates a fetcher that checks the bodies of known URLs and passes on others.
    package init(_ fetcher: any Fetcher, knowing assets: [ScenarioAsset], by verification: Verification) {
        self.fetcher = fetcher
        known = Dictionary(assets.map { ($0.url, $0) }) { first, _ in first }
        self.verification = verification
    }

    /// Returns the reading shared by all bodies of an asset without a known hash, or `nil` if there were none.
    package func agreedReading(of asset: ScenarioAsset) -> BodyReading? {
        unknown.withLock { $0[asset.url]?.reading }
    }

    package var wrongBody: FetchFailure? { failure.withLock { $0 } }

    package func prepare(for request: FetchRequest) async throws(FetchFailure) {
        try await fetcher.prepare(for: request)
    }

    package func fetch(_ request: FetchRequest) async throws(FetchFailure) -> FetchedBody {
        let body = try await fetcher.fetch(request)
        guard !body.isUnchanged, let asset = known[request.url.absoluteString] else { return body }
        let verification = verification
        let reading = try verifier.withLock { verifier in
            Result { () throws(FetchFailure) in try verifier.reading(of: body, by: verification) }
        }.get()
        do throws(FetchFailure) {
            try check(reading, of: asset)
        } catch {
            failure.withLock { [error] in $0 = $0 ?? error }
            throw error
        }
        return body
    }

    private func check(_ reading: BodyReading?, of asset: ScenarioAsset) throws(FetchFailure) {
        guard !asset.sha256.isEmpty else {
            return try unknown.withLock { unknown in
                Result { () throws(FetchFailure) in try unknown[asset.url, default: AgreedBody()].take(reading) }
            }.get()
        }
        guard reading?.byteCount.rawValue == asset.byteCount,
            verification == .length || reading?.sha256 == asset.sha256
        else {
            let count = reading?.byteCount.rawValue ?? 0
            throw FetchFailure(.wrongBody, "\(asset.name): \(count) bytes that are not those of the asset")
        }
    }

    package func invalidate() async { await fetcher.invalidate() }
}
