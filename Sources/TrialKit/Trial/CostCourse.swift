// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import MemProbe

/// What a program does that is asked for its costs: one fetch in its first life, and a reading before and after it.
struct CostCourse: Sendable {
    let request: CostRequest
    let mode: any FetchMode
    let url: URL

    /// Fetches once, and reads what the process has while the body and what fetched it are held.
    /// - Parameter start: the reading that was taken before anything else.
    /// - Throws: ``MemProbeError`` where the process cannot be read; everything else is in the report.
    func run(from start: CostReading) async throws(MemProbeError) -> CostReport {
        var report = CostReport(start: start)
        do {
            let fetcher = try mode.makeFetcher(request.fetchSettings)
            let fetch = FetchRequest(url: url, destination: request.directory + "/fetched.body")
            try await fetcher.prepare(for: fetch)
            let body = try await fetcher.fetch(fetch)
            report.body = ByteCount(body.byteCount)
            if mode.settles { try settle() }
            report.fetched = try .now()
            withExtendedLifetime(body) {}
            await fetcher.invalidate()
        } catch let error as MemProbeError {
            throw error
        } catch let failure as FetchFailure {
            report.failure = CostReport.Failure(code: failure.code.rawValue, detail: failure.detail)
        } catch {
            report.failure = CostReport.Failure(code: FetchFailure.Code.other.rawValue, detail: "\(error)")
        }
        return report
    }

    /// Waits until the memory keeps still; what watches it is gone before the reading.
    private func settle() throws(MemProbeError) {
        var marker = try TrialMarker()
        try marker.waitForQuiet(.standard)
    }
}

extension CostReading {
    /// Reads now: the clock first, then the memory.
    static func now() throws(MemProbeError) -> CostReading {
        let time = MonotonicClock.now()
        return CostReading(timeNanoseconds: time, inventory: try .read())
    }
}

extension CostRequest {
    /// What the mode may know: nothing is verified but the length, so that no hash is a part of the costs.
    var fetchSettings: FetchSettings {
        FetchSettings(verification: .length, idleTimeoutSeconds: idleTimeoutSeconds)
    }
}
