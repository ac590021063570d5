// SPDX-License-Identifier: Apache-2.0

import Foundation
import OpenCombine
import OpenCombineFoundation
import TrialKit
import URLSessionModes

/// One data task for several subscribers by `share()`: one request, and one body that all of them hold.
struct PublisherShareMode: FetchMode {
    let name = "publisher-share"
    let summary = "OpenCombine dataTaskPublisher, share(), \(Audience.count) subscribers: one request, one Data"
    let caveat: String? =
        "share() begins with the first subscriber, and who comes after the value gets none: "
        + "the start is held back until all are there"
    let schemes: Set<String> = ["http", "https"]
    let yieldsBody = true
    let abilities: Set<ModeAbility> = .ofSession

    func makeFetcher(_ settings: FetchSettings) -> any Fetcher {
        DataPublisherFetcher(settings) { request, body in
            let gate = OperationQueue()
            gate.maxConcurrentOperationCount = 1
            gate.isSuspended = true
            let shared = body(request).subscribe(on: gate).share()
            return await Audience.body(of: shared) { gate.isSuspended = false }
        }
    }
}
