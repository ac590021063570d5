// SPDX-License-Identifier: Apache-2.0

import Foundation
import TrialKit

struct DataDelegateMode: FetchMode {
    let name = "data-delegate"
    let summary = "URLSession delegate that appends every chunk to one Data: the whole body in memory"
    let caveat: String? = "no back-pressure; the Data grows by reallocation, held once on glibc and twice on jemalloc"
    let abilities: Set<ModeAbility> = .ofSessionInPieces

    func makeFetcher(_ settings: FetchSettings) -> any Fetcher {
        ChunkFetcher(settings) { _ in CollectedBody() }
    }
}

private struct CollectedBody: ChunkConsumer {
    private var data = Data()

    mutating func take(_ chunk: Data) {
        data.append(chunk)
    }

    func finished() -> FetchedBody {
        FetchedBody(content: .memory(data), byteCount: data.count)
    }
}
