// SPDX-License-Identifier: Apache-2.0

import Foundation
import FoundationNetworking
import Synchronization
import TrialKit

struct TaskGroupDiscardingMode: FetchMode {
    let name = "taskgroup-discarding"
    let summary = "throwing discarding task group over URLSession data tasks: each body hashed and dropped as it comes"
    let caveat: String? =
        "leaves nothing to render; each body is held whole until it is hashed; otherwise as taskgroup-data"
    let yieldsBody = false
    let abilities: Set<ModeAbility> = .ofCancellableSession
    let hashesOnTheWay = true

    func makeFetcher(_ settings: FetchSettings) -> any Fetcher {
        TaskGroupFetcher(settings, gathering: Self.discarding) { session, request in
            await session.collected(request, settings).map { $0.dropped(verifiedBy: settings.verification) }
        }
    }

    private static let discarding: TaskGroupFetcher.Gather = { requests, fetch in
        // A discarding group returns nothing: its tasks hand on what they have.
        let answers = Answers(requests.count)
        try await withThrowingDiscardingTaskGroup { group in
            for (index, request) in requests.enumerated() {
                group.addTask { answers.add(try await fetch(request), at: index) }
            }
        }
        return answers.all
    }
}

/// The answers to requests, without their bytes.
private final class Answers: Sendable {
    private let bodies: Mutex<[FetchedBody]>

    var all: [FetchedBody] { bodies.withLock { $0 } }

    init(_ count: Int) {
        bodies = Mutex([FetchedBody](repeating: .nothing, count: count))
    }

    func add(_ body: FetchedBody, at index: Int) {
        bodies.withLock { $0[index] = body }
    }
}

extension FetchedBody {
    /// This body without its bytes, which are hashed.
    fileprivate func dropped(verifiedBy verification: Verification) -> FetchedBody {
        guard byteCount > 0, case .memory(let bytes) = content else { return self }
        var hash = StreamedHash(verification)
        bytes.withUnsafeBytes { hash.update($0) }
        var body = self
        body.content = .nothing
        body.sha256 = hash.finish()
        body.verificationCPUNanoseconds = hash.cpuNanoseconds
        return body
    }
}
