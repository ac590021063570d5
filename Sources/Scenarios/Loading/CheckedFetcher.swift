// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import MemProbe
import Synchronization
package import TrialKit

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

    /// The failure of the first wrong body, or `nil`.
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

    /// Checks a reading; of an asset without a known hash all readings must agree, and the harness compares that one.
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

    package func invalidate() async {
        await fetcher.invalidate()
    }
}
