// SPDX-License-Identifier: Apache-2.0

import TrialKit

struct StreamBoundedMode: FetchMode {
    let name = "stream-bounded"
    let summary = "stream on a delegate queue that holds 8 chunks at most: back-pressure"
    let caveat: String? =
        "while the queue is full, every URLSession of the process waits, as do callers that start a task"
    let abilities: Set<ModeAbility> = .ofSessionInPieces.union([.pieces, .file, .resuming])
    let hashesOnTheWay = true

    private static let mostChunks = 8

    func makeFetcher(_ settings: FetchSettings) -> any Fetcher {
        ChunkFetcher(settings, queue: BoundedQueue(capacity: Self.mostChunks)) { request throws(FetchFailure) in
            try StreamedBody(for: request, verifiedBy: settings.verification)
        }
    }

    func makeRelay(_ settings: FetchSettings) -> any Relay {
        SessionRelay(settings, atMost: Self.mostChunks)
    }
}
