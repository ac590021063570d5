// SPDX-License-Identifier: Apache-2.0

import TrialKit

extension FetchSettings {
    /// The settings of a test, changed where it is about one of them.
    static func test(_ change: (inout FetchSettings) -> Void = { _ in }) -> FetchSettings {
        var settings = FetchSettings(verification: .sha256, idleTimeoutSeconds: 200)
        change(&settings)
        return settings
    }
}

extension FetchMode {
    /// Gives a fetcher to a test, and lets go of it whatever happens.
    func withFetcher<Result>(
        _ settings: FetchSettings = .test(), _ body: (any Fetcher) async throws -> Result
    ) async throws -> Result {
        Leftovers.removeAtExit()
        let fetcher = try makeFetcher(settings)
        do {
            let result = try await body(fetcher)
            await fetcher.invalidate()
            return result
        } catch {
            await fetcher.invalidate()
            throw error
        }
    }
}

extension Fetcher {
    /// The length of what a fetch left behind.
    ///
    /// A function of its own because the optimiser of Swift 6.3.1 crashes on a typed throw within some async closures.
    func byteCount(of request: FetchRequest) async throws -> Int {
        try await fetch(request).byteCount
    }
}
