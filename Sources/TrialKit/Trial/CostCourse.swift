// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import MemProbe

/// The work of a program for `--costs`: one first fetch, and a reading before and after it.
struct CostCourse: Sendable {
    let request: CostRequest
    let mode: any FetchMode
    let url: URL

    /// Fetches once, and reads the process while the body and the fetcher are held.
    /// - Parameter start: The reading that was taken before anything else.
    /// - Throws: ``MemProbeError`` if the process cannot be read; every other failure is in the report.
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

    /// Waits until the memory is stable; the marker is released before the reading.
    private func settle() throws(MemProbeError) {
        var marker = try TrialMarker()
        try marker.waitForQuiet(.standard)
    }
}

extension CostReading {
    /// Reads the clock first, then the memory.
    static func now() throws(MemProbeError) -> CostReading {
        let time = MonotonicClock.now()
        return CostReading(timeNanoseconds: time, inventory: try .read())
    }
}

extension CostRequest {
    /// The mode's settings: only the length is verified, so that costs do not include hashing.
    var fetchSettings: FetchSettings {
        FetchSettings(verification: .length, idleTimeoutSeconds: idleTimeoutSeconds)
    }
}
