// SPDX-License-Identifier: Apache-2.0

package import MemProbe
package import TrialKit

/// One fresh process that measured one case once, as it is stored.
package struct Trial: Codable, Hashable, Sendable {
    /// The number of the trial in its run, from 1.
    package var number: Int
    /// What it measured.
    package var cell: Case
    /// What it drew by chance follows from this.
    package var seed: UInt64
    /// Where it stands in a comparison; `nil` in a run.
    package var pairing: Pairing?
    /// How it ended.
    package var outcome: Outcome
    /// The asset's size, where known.
    package var assetByteCount: ByteCount?
    /// What the process answered, where it answered.
    package var report: TrialReport?
    /// The anonymous memory of each measured phase, from samples taken by the harness.
    package var anonymousPeaks: [AnonymousPeak]
    /// The largest resident size that the harness sampled from `fetch` to `render`.
    package var sampledMaximum: ByteCount?
    /// Whether samples were lost or late.
    package var samplesDegraded: Bool
    /// From spawning the process to its end, in nanoseconds.
    package var processNanoseconds: Int
    /// The checks on the trial's own figures that failed, in words.
    package var doubts: [String]

    /// Creates the record of a trial.
    package init(
        number: Int, cell: Case, seed: UInt64, pairing: Pairing? = nil, outcome: Outcome,
        assetByteCount: ByteCount? = nil, report: TrialReport? = nil, anonymousPeaks: [AnonymousPeak],
        sampledMaximum: ByteCount? = nil, samplesDegraded: Bool, processNanoseconds: Int, doubts: [String]
    ) {
        self.number = number
        self.cell = cell
        self.seed = seed
        self.pairing = pairing
        self.outcome = outcome
        self.assetByteCount = assetByteCount
        self.report = report
        self.anonymousPeaks = anonymousPeaks
        self.sampledMaximum = sampledMaximum
        self.samplesDegraded = samplesDegraded
        self.processNanoseconds = processNanoseconds
        self.doubts = doubts
    }

    private enum CodingKeys: String, CodingKey {
        case seed, pairing, outcome, report, doubts
        case number = "trial"
        case cell = "case"
        case assetByteCount = "asset_bytes"
        case anonymousPeaks = "anonymous_peaks"
        case sampledMaximum = "sampled_maximum_resident_bytes"
        case samplesDegraded = "samples_degraded"
        case processNanoseconds = "process_duration_ns"
    }
}

/// The highest anonymous memory of a phase: sampled, because the kernel keeps no high-water mark of it.
package struct AnonymousPeak: Codable, Hashable, Sendable {
    /// Which phase.
    package var phase: Phase
    /// The largest sample or reading at a mark.
    package var sampledMaximum: ByteCount
    /// What it cannot be below, where the file-backed memory only grew; else `nil`.
    package var lowerBound: ByteCount?
    /// What it cannot be above, where the file-backed memory only grew; else `nil`.
    package var upperBound: ByteCount?

    /// What it cannot be above in the gaps between late samples; `nil` where there were none.
    package var gapBound: ByteCount?

    /// Creates the anonymous peak of a phase.
    package init(
        phase: Phase, sampledMaximum: ByteCount, lowerBound: ByteCount? = nil, upperBound: ByteCount? = nil,
        gapBound: ByteCount? = nil
    ) {
        self.phase = phase
        self.sampledMaximum = sampledMaximum
        self.lowerBound = lowerBound
        self.upperBound = upperBound
        self.gapBound = gapBound
    }

    /// The most that it is known to have been: the sampled maximum, or the bound that the kernel's mark proves where
    /// a spike fell between two samples.
    package var proven: ByteCount {
        max(sampledMaximum, lowerBound ?? .zero)
    }

    private enum CodingKeys: String, CodingKey {
        case phase
        case sampledMaximum = "sampled_maximum_bytes"
        case lowerBound = "lower_bound_bytes"
        case upperBound = "upper_bound_bytes"
        case gapBound = "gap_bound_bytes"
    }
}

extension Trial {
    /// Whether its figures count.
    package var isCompleted: Bool { outcome.kind == .completed }

    /// What growth is counted from.
    package var baseline: Snapshot? { report?.baseline?.memory }

    /// What the process read of a phase.
    package func reading(of phase: Phase) -> PhaseReading? {
        report?.phases.first { $0.phase == phase }
    }

    /// The highest resident size of a phase, over the baseline.
    package func peakResidentGrowth(in phase: Phase) -> ByteCount? {
        guard let baseline, let reading = reading(of: phase) else { return nil }
        return reading.peak.resident - baseline.resident
    }

    /// The highest anonymous memory of a phase, over the baseline.
    package func peakAnonymousGrowth(in phase: Phase) -> ByteCount? {
        guard let baseline, let peak = anonymousPeaks.first(where: { $0.phase == phase }) else { return nil }
        return peak.proven - baseline.anonymous
    }

    /// The highest resident size from `fetch` to `render`, over the baseline: the peak growth of the trial.
    package var peakResidentGrowth: ByteCount? {
        Phase.peaking.compactMap { peakResidentGrowth(in: $0) }.max()
    }

    /// The highest anonymous memory from `fetch` to `render`, over the baseline.
    package var peakAnonymousGrowth: ByteCount? {
        Phase.peaking.compactMap { peakAnonymousGrowth(in: $0) }.max()
    }

    /// By how much the anonymous peak may be low because samples were late or lost; `nil` where none were.
    package var anonymousPeakUncertainty: ByteCount? {
        let peaks = anonymousPeaks.filter { Phase.peaking.contains($0.phase) }
        guard let bound = peaks.compactMap(\.gapBound).max(), let proven = peaks.map(\.proven).max() else { return nil }
        return max(.zero, bound - proven)
    }

    /// Where the peak comes from: the least exact source of its phases.
    package var peakSource: PeakSource? {
        let sources = Phase.peaking.compactMap { reading(of: $0)?.peak.source }
        return sources.first { $0 != .highWaterMark } ?? sources.first
    }

    /// How many bytes the trial was asked to fetch: the asset's size for each fetch at once; `nil` where not known.
    package var requestedByteCount: ByteCount? {
        assetByteCount.map { ByteCount($0.rawValue * cell.conditions.concurrency) }
    }

    /// The peak growth in copies of what was asked for (k), or `nil` where nothing was fetched, or so much in a scenario
    /// that one asset is no measure of it.
    package var copiesHeld: Double? {
        guard cell.conditions.scenario == .none || report?.scenario?.isOneFetch == true,
            let growth = peakResidentGrowth, let size = requestedByteCount, size.rawValue > 0
        else { return nil }
        return Double(growth.rawValue) / Double(size.rawValue)
    }

    /// What stays resident after everything was dropped and the settling time is over, over the baseline.
    package var retainedResidentGrowth: ByteCount? {
        guard let baseline, let settled = report?.settled else { return nil }
        return settled.memory.resident - baseline.resident
    }

    /// What stays anonymous after everything was dropped and the settling time is over, over the baseline.
    package var retainedAnonymousGrowth: ByteCount? {
        guard let baseline, let settled = report?.settled else { return nil }
        return settled.memory.anonymous - baseline.anonymous
    }

    /// The largest resident size that the harness sampled, over the baseline.
    package var sampledMaximumGrowth: ByteCount? {
        guard let baseline, let sampledMaximum else { return nil }
        return sampledMaximum - baseline.resident
    }
}
