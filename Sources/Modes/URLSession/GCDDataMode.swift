// SPDX-License-Identifier: Apache-2.0

import Dispatch
import TrialKit

struct GCDDataMode: FetchMode {
    let name = "gcd-data"
    let summary = "Data(contentsOf:) on DispatchQueue.global(), handed to a serial queue: the whole body as Data"
    let caveat: String? =
        "a serial queue stands for the main one; each fetch blocks a thread of the pool that URLSession's queues need, so "
        + "concurrent fetches wait for libdispatch to add threads, about one per second; " + BlockingFetcher.caveat
    let abilities: Set<ModeAbility> = [.concurrency, .gzip]

    func makeFetcher(_ settings: FetchSettings) -> any Fetcher {
        let main = DispatchQueue(label: "the list's queue")
        return BlockingFetcher(
            running: { call, deliver in
                DispatchQueue.global().async {
                    let result = call()
                    main.async { deliver(result) }
                }
            }, load: BlockingFetcher.data)
    }
}
