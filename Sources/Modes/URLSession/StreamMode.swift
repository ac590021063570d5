// SPDX-License-Identifier: Apache-2.0

import TrialKit

struct StreamMode: FetchMode {
    let name = "stream"
    let summary = "URLSession delegate, chunk by chunk: hashed and written to a file"
    let caveat: String? = "no back-pressure: a consumer slower than the network collects the body in memory"
    let abilities: Set<ModeAbility> = .ofSessionInPieces.union([.pieces, .file, .resuming])
    let hashesOnTheWay = true

    func makeFetcher(_ settings: FetchSettings) -> any Fetcher {
        ChunkFetcher(settings) { request throws(FetchFailure) in
            try StreamedBody(for: request, verifiedBy: settings.verification)
        }
    }

    func makeRelay(_ settings: FetchSettings) -> any Relay {
        SessionRelay(settings)
    }
}
