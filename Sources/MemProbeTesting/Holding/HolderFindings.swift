// SPDX-License-Identifier: Apache-2.0

import MemProbe
import Profiles

/// The holders of a recorded process's peak, as a table and as a file for pprof.
struct HolderFindings: Sendable {
    let table: String
    let pprof: [UInt8]

    /// The reason why there are none.
    struct Missing: Error {
        let reason: String
    }

    /// Evaluates the recordings, with the growth of the recorded process and of a plain one.
    init(
        of test: String, allocator: String, _ recordings: Result<[RecordingFolder.Entry], RecordingError>,
        recorded: PeakGrowth, plain: PeakGrowth?
    ) throws(Missing) {
        let entries: [RecordingFolder.Entry]
        do throws(RecordingError) {
            entries = try recordings.get()
        } catch {
            throw Missing(reason: "the recording cannot be used: \(error)")
        }
        // Of all processes that a test starts, only its own knows where growth begins.
        guard let entry = RecordingFolder.first(of: entries) else {
            throw Missing(reason: "the recorder did not see where growth begins")
        }
        let profile = ProfileBuilder(peak: entry.peak, baseline: entry.baseline).profile(
            of: test, allocator: allocator, explainedPeak: Self.whole(recorded), plainPeak: plain.map(Self.whole),
            symbols: .runtime)
        table = HolderTable(profile).plain
        do {
            guard let format = ProfileFormats.named("pprof") else { throw Missing(reason: "format pprof is missing") }
            pprof = try format.bytes(of: profile)
        } catch {
            throw Missing(reason: "\(error)")
        }
    }

    /// Returns the growth with program pages, because the table lists them.
    private static func whole(_ growth: PeakGrowth) -> Int { (growth.peak.resident - growth.start).rawValue }
}
