// SPDX-License-Identifier: Apache-2.0

import Foundation
import TrialKit

struct SyncDataMode: FetchMode {
    let name = "sync-data"
    let summary = "Data(contentsOf:), blocking: the whole body as Data"
    let caveat: String? = BlockingFetcher.caveat
    let abilities: Set<ModeAbility> = [.concurrency, .gzip, .http2]

    func makeFetcher(_ settings: FetchSettings) -> any Fetcher {
        BlockingFetcher(load: BlockingFetcher.data)
    }
}

extension BlockingFetcher {
    /// Loads a body by `Data(contentsOf:)`.
    static let data: Load = { url in
        let data = try Data(contentsOf: url)
        return FetchedBody(content: .memory(data), byteCount: data.count)
    }
}
