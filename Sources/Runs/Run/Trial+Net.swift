// SPDX-License-Identifier: Apache-2.0

package import MemProbe
package import TrialKit

/// What the trial held without program pages: those are resident as the page cache has it, wherever the file lies.
extension Trial {
    /// What growth net of program pages is counted from, or `nil` where these are not known.
    private var netBaseline: ByteCount? {
        guard let baseline, let programPages = baseline.programPages else { return nil }
        return baseline.resident - programPages
    }

    /// The highest resident size of a phase without program pages, or `nil` where these are not known.
    ///
    /// They only grow while a process runs, so those at the phase's end are at least those at its peak: the difference
    /// is what was held for certain. What was sampled as anonymous may be more, where pages came after the peak.
    package func netPeak(in phase: Phase) -> ByteCount? {
        guard let reading = reading(of: phase) else { return nil }
        if let command = report?.command { return command.netPeak }
        guard let programPages = reading.end.memory.programPages else { return nil }
        let sampled = anonymousPeaks.first { $0.phase == phase }?.sampledMaximum
        return max(reading.peak.resident - programPages, sampled ?? .zero)
    }

    /// The highest resident size from `fetch` to `render` without program pages: the net peak of the trial.
    package var netPeak: ByteCount? {
        Phase.peaking.compactMap { netPeak(in: $0) }.max()
    }

    /// The net peak over the baseline without its program pages; of a command, which has none, the net peak itself.
    package var netPeakGrowth: ByteCount? {
        guard let netPeak, let netBaseline else { return nil }
        return netPeak - netBaseline
    }

    /// The program pages at the end of the phase in which the trial peaks; of a command those within its peak.
    package var programPages: ByteCount? {
        if let command = report?.command { return command.programPages }
        let readings = Phase.peaking.compactMap { reading(of: $0) }
        return readings.max { $0.peak.resident < $1.peak.resident }?.end.memory.programPages
    }

    /// The phase in which the trial reaches its highest peak first, net of program pages where these are known.
    ///
    /// What is held on is as high in the next phase, give or take pages: a difference that would not count is none.
    package var peakPhase: Phase? {
        let peaks = Phase.peaking.compactMap { phase in
            (netPeak(in: phase) ?? reading(of: phase)?.peak.resident).map { (phase: phase, peak: $0) }
        }
        let highest = peaks.map(\.peak).max() ?? .zero
        return peaks.first { $0.peak + .kibibytes(256) >= highest }?.phase
    }
}
