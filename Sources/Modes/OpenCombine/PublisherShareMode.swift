// SPDX-License-Identifier: Apache-2.0

import Foundation
import OpenCombine
import OpenCombineFoundation
import TrialKit
import URLSessionModes

struct PublisherShareMode: DataPublisherMode {
    let name = "publisher-share"
    let summary = "OpenCombine dataTaskPublisher, share(), \(Audience.count) subscribers: one request, one Data"
    let caveat: String? =
        "share() starts with the first subscriber, and subscribers after the value get none: "
        + "the start is held back until all are there"

    func answer(
        to request: FetchRequest, by body: @escaping MakePublisher
    ) async throws(FetchFailure) -> FetchedBody {
        let gate = OperationQueue()
        gate.maxConcurrentOperationCount = 1
        gate.isSuspended = true
        let shared = body(request).subscribe(on: gate).share()
        return try await Audience.body(of: shared) { gate.isSuspended = false }.get()
    }
}
