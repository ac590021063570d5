// SPDX-License-Identifier: Apache-2.0

import Glibc

struct Errand: Sendable {
    let request: FetchRequest
    /// The expected hash, if it is known here.
    let sha256: String?
}

/// Fetches, verifies and renders assets within its slots.
///
/// Bodies that wait for a decode are held and occupy no download slot, as in an application.
struct Lane: Sendable {
    let downloading: Turnstile
    let decoding: Turnstile
    let desks: Desks

    init(_ stage: ScenarioStage, _ slots: Slots, count: Int) throws {
        downloading = Turnstile(capacity: slots.downloads, waiting: count)
        decoding = Turnstile(capacity: slots.decodes, waiting: count)
        desks = try Desks(count: slots.decodes, stage)
    }

    /// Returns the readings of all bodies, in the order in which they were done.
    func run(_ errands: [Errand], with fetcher: any Fetcher, renders: Bool) async throws -> [BodyReading] {
        try await withThrowingTaskGroup(of: BodyReading?.self) { group in
            for errand in errands { group.addTask { try await run(errand, with: fetcher, renders: renders) } }
            var readings: [BodyReading] = []
            readings.reserveCapacity(errands.count)
            for try await reading in group { if let reading { readings.append(reading) } }
            return readings
        }
    }

    private func run(_ errand: Errand, with fetcher: any Fetcher, renders: Bool) async throws -> BodyReading? {
        defer { unlink(errand.request.destination) }
        let body = try await fetch(errand.request, with: fetcher)
        await decoding.enter()
        defer { decoding.leave() }
        let reading = try await desks.use(body, renders: renders)
        if let expected = errand.sha256, let sha256 = reading?.sha256, sha256 != expected {
            throw FetchFailure(.wrongBody, "an asset of the set arrived with another SHA-256 than it has")
        }
        return reading
    }

    private func fetch(_ request: FetchRequest, with fetcher: any Fetcher) async throws -> HeldBody {
        await downloading.enter()
        defer { downloading.leave() }
        return HeldBody(try await fetcher.fetch(request))
    }
}
