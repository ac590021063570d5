// SPDX-License-Identifier: Apache-2.0

import Foundation
import FoundationNetworking
import Synchronization
import TrialKit

struct GroupMode: FetchMode {
    let name: String
    let summary: String
    let caveat: String?
    var yieldsBody = true
    var abilities = Set<ModeAbility>.ofCancellableSession
    var gather = TaskGroupFetcher.inOrder
    /// Fetches one body; by default into memory.
    var load: @Sendable (URLSession, FetchRequest, FetchSettings) async -> Result<FetchedBody, FetchFailure> = {
        await $0.collected($1, $2)
    }

    var hashesOnTheWay: Bool { !yieldsBody }

    func makeFetcher(_ settings: FetchSettings) -> any Fetcher {
        TaskGroupFetcher(settings, gathering: gather) { [load] in await load($0, $1, settings) }
    }

    private final class Answers: Sendable {
        private let bodies: Mutex<[FetchedBody]>

        var all: [FetchedBody] { bodies.withLock { $0 } }

        init(_ count: Int) { bodies = Mutex([FetchedBody](repeating: .nothing, count: count)) }

        func add(_ body: FetchedBody, at index: Int) { bodies.withLock { $0[index] = body } }
    }

    final class TaskGroupFetcher: Fetcher, SessionOwner {
        typealias Load = @Sendable (URLSession, FetchRequest) async -> Result<FetchedBody, FetchFailure>

        /// Fetches in one group, and returns the bodies in the order of their requests.
        typealias Gather =
            @Sendable (
                _ requests: [FetchRequest], _ fetch: @escaping @Sendable (FetchRequest) async throws -> FetchedBody
            ) async throws -> [FetchedBody]

        let session: URLSession
        let ownsSession: Bool
        private let gather: Gather
        private let load: Load

        init(
            _ settings: FetchSettings, gathering gather: @escaping Gather = TaskGroupFetcher.inOrder,
            load: @escaping Load
        ) {
            let configuration = URLSessionConfiguration.forTrial(settings)
            // Not even the default one: URLSession traps if a task that has a cache is cancelled.
            configuration.urlCache = nil
            session = .forTrial(settings, configuration)
            ownsSession = settings.session != .shared
            (self.gather, self.load) = (gather, load)
        }

        func fetch(_ request: FetchRequest) async throws(FetchFailure) -> FetchedBody {
            try await fetch([request]).first ?? .nothing
        }

        func fetch(_ requests: [FetchRequest]) async throws(FetchFailure) -> [FetchedBody] {
            for request in requests { try SchemeCheck.check(request.url) }
            do {
                return try await gather(requests) { [session, load] request in try await load(session, request).get() }
            } catch {
                throw FetchFailure(error)
            }
        }

        static let inOrder: Gather = { requests, fetch in
            try await withThrowingTaskGroup(of: (Int, FetchedBody).self) { group in
                for (index, request) in requests.enumerated() {
                    group.addTask { (index, try await fetch(request)) }
                }
                var bodies = [FetchedBody](repeating: .nothing, count: requests.count)
                // The first error leaves the group, which cancels what remains and waits for it.
                for try await (index, body) in group { bodies[index] = body }
                return bodies
            }
        }
    }
}

extension GroupMode {
    static let all = [
        GroupMode(
            name: "taskgroup-data",
            summary: "throwing task group over URLSession data tasks: whole bodies, in the order of the requests",
            caveat: """
                each body is held twice while it is handed over; the first error cancels the rest; one queue drives every \
                session, so more concurrent fetches show that queue; no cache, because cancelling with one crashes
                """),
        GroupMode(
            name: "taskgroup-download",
            summary: "throwing task group over URLSession download tasks: to files, in the order of the requests",
            caveat: """
                the first error cancels the rest, and only the harness removes their temporary files; one queue \
                drives every session, so more concurrent fetches show that queue; no cache, because cancelling with one \
                crashes
                """, abilities: .ofCancellableSession.union([.file]), load: { await $0.downloaded($1, $2) }),
        GroupMode(
            name: "taskgroup-dictionary",
            summary: "throwing task group over URLSession data tasks: whole bodies as Data, in a dictionary by URL",
            caveat: """
                bodies of equal URLs replace one another: each is fetched, the last one is held and verified; otherwise as \
                taskgroup-data
                """, gather: byURL),
        GroupMode(
            name: "taskgroup-discarding",
            summary: "discarding task group over URLSession data tasks: each body hashed and dropped as it comes",
            caveat: "leaves nothing to render; each body is held whole until it is hashed; otherwise as taskgroup-data",
            yieldsBody: false, gather: discarding,
            load: { session, request, settings in
                await session.collected(request, settings).map { $0.dropped(verifiedBy: settings.verification) }
            }),
        GroupMode(
            name: "loop-data",
            summary: "plain loop over URLSession data tasks: one request after another, whole bodies as Data",
            caveat: "of several fetches at once only one is under way; otherwise as taskgroup-data", gather: oneByOne),
    ]

    private static let byURL: TaskGroupFetcher.Gather = { requests, fetch in
        try await withThrowingTaskGroup(of: (URL, FetchedBody).self) { group in
            for request in requests { group.addTask { (request.url, try await fetch(request)) } }
            var bodies: [URL: FetchedBody] = [:]
            for try await (url, body) in group { bodies[url] = body }
            return requests.map { bodies[$0.url] ?? .nothing }
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

    private static let oneByOne: TaskGroupFetcher.Gather = { requests, fetch in
        var bodies: [FetchedBody] = []
        for request in requests { bodies.append(try await fetch(request)) }
        return bodies
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
