// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import MemProbe
import Synchronization
package import TrialKit

/// Verifies every body that a scenario fetches, against what the harness knows of it.
package final class CheckedFetcher: Fetcher {
    private let fetcher: any Fetcher
    private let known: [String: ScenarioAsset]
    private let verification: Verification
    private let verifier = Mutex(BodyVerifier())
    private let failure = Mutex<FetchFailure?>(nil)
    private let last = Mutex<BodyReading?>(nil)

    /// Checks what a fetcher brings; what is not known is passed through.
    package init(_ fetcher: any Fetcher, knowing assets: [ScenarioAsset], by verification: Verification) {
        self.fetcher = fetcher
        known = Dictionary(assets.map { ($0.url, $0) }) { first, _ in first }
        self.verification = verification
    }

    /// The last body that was verified, or `nil`.
    package var lastReading: BodyReading? { last.withLock { $0 } }

    /// The first body that was another one than it should be, or `nil`.
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
        last.withLock { $0 = reading }
        // Of an asset whose hash is not known here the harness compares the reading.
        let isRight =
            asset.sha256.isEmpty
            || reading?.byteCount.rawValue == asset.byteCount
                && (verification == .length || reading?.sha256 == asset.sha256)
        guard isRight else {
            let wrong = FetchFailure(
                .wrongBody, "\(asset.name): \(body.byteCount) bytes that are not those of the asset")
            failure.withLock { $0 = $0 ?? wrong }
            throw wrong
        }
        return body
    }

    package func invalidate() async {
        await fetcher.invalidate()
    }
}
