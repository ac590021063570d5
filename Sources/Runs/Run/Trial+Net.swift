// SPDX-License-Identifier: Apache-2.0

package import MemProbe
package import TrialKit

/// The memory of a trial without program pages, which are resident depending on the page cache.
extension Trial {
    /// The baseline of net growth, or `nil` if program pages are unknown.
    private var netBaseline: ByteCount? {
        guard let baseline, let programPages = baseline.programPages else { return nil }
        return baseline.resident - programPages
    }

    /// The highest resident size of a phase without program pages, or `nil` if these are unknown.
    ///
    /// Program pages only grow while a process runs, so subtracting those at the end of the phase gives a lower bound.
    /// The sampled anonymous memory can be higher, if program pages were loaded after the peak.
    package func netPeak(in phase: Phase) -> ByteCount? {
        guard let reading = reading(of: phase) else { return nil }
        if let command = report?.command { return command.netPeak }
        guard let programPages = reading.end.memory.programPages else { return nil }
        let sampled = anonymousPeaks.first { $0.phase == phase }?.sampledMaximum
        return max(reading.peak.resident - programPages, sampled ?? .zero)
    }

    /// The net peak of the trial: the highest resident size from `fetch` to `render` without program pages.
    package var netPeak: ByteCount? {
        Phase.peaking.compactMap { netPeak(in: $0) }.max()
    }

    /// The net peak over the net baseline; for a command, which has no baseline, the net peak itself.
    package var netPeakGrowth: ByteCount? {
        guard let netPeak, let netBaseline else { return nil }
        return netPeak - netBaseline
    }

    /// The program pages at the end of the phase that peaks; for a command those within its peak.
    package var programPages: ByteCount? {
        if let command = report?.command { return command.programPages }
        let readings = Phase.peaking.compactMap { reading(of: $0) }
        return readings.max { $0.peak.resident < $1.peak.resident }?.end.memory.programPages
    }

    /// The first phase that reaches the highest peak, net of program pages if known.
    ///
    /// Memory that is kept is about as high in the next phase, so differences of less than 256 KiB are ignored.
    package var peakPhase: Phase? {
        let peaks = Phase.peaking.compactMap { phase in
            (netPeak(in: phase) ?? reading(of: phase)?.peak.resident).map { (phase: phase, peak: $0) }
        }
        let highest = peaks.map(\.peak).max() ?? .zero
        return peaks.first { $0.peak + .kibibytes(256) >= highest }?.phase
    }
}
