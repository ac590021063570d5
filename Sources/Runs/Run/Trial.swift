// SPDX-License-Identifier: Apache-2.0

package import MemProbe
package import TrialKit

/// A stored trial: one fresh process that measured one case once.
package struct Trial: Codable, Hashable, Sendable {
    /// The number of the trial in its run, from 1.
    package var number: Int
    package var cell: Case
    /// The seed of everything random in the trial.
    package var seed: UInt64
    /// The position in a comparison; `nil` in a run.
    package var pairing: Pairing?
    package var outcome: Outcome
    /// The size of the asset, or `nil` if unknown.
    package var assetByteCount: ByteCount?
    /// The report of the process, or `nil` without one.
    package var report: TrialReport?
    /// The anonymous memory of each measured phase, from samples of the harness.
    package var anonymousPeaks: [AnonymousPeak]
    /// The largest resident size that the harness sampled from `fetch` to `render`.
    package var sampledMaximum: ByteCount?
    /// True if samples were lost or late.
    package var samplesDegraded: Bool
    /// The time from spawning the process to its end.
    package var processNanoseconds: Int
    /// The descriptions of failed plausibility checks.
    package var doubts: [String]

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

/// The highest anonymous memory of a phase: sampled, because the kernel has no high-water mark of it.
package struct AnonymousPeak: Codable, Hashable, Sendable {
    package var phase: Phase
    /// The largest sample or reading at a mark.
    package var sampledMaximum: ByteCount
    /// The lower bound, if file-backed memory only grew; otherwise `nil`.
    package var lowerBound: ByteCount?
    /// The upper bound, if file-backed memory only grew; otherwise `nil`.
    package var upperBound: ByteCount?
    /// The upper bound in the gaps between late samples; `nil` without gaps.
    package var gapBound: ByteCount?

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

    /// The proven maximum: the sampled one, or the kernel's lower bound if a spike fell between two samples.
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
    /// True if its figures count.
    package var isCompleted: Bool { outcome.kind == .completed }

    /// The snapshot from which growth is counted.
    package var baseline: Snapshot? { report?.baseline?.memory }

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

    /// The peak growth: the highest resident size from `fetch` to `render`, over the baseline.
    package var peakResidentGrowth: ByteCount? {
        Phase.peaking.compactMap { peakResidentGrowth(in: $0) }.max()
    }

    /// The highest anonymous memory from `fetch` to `render`, over the baseline.
    package var peakAnonymousGrowth: ByteCount? {
        Phase.peaking.compactMap { peakAnonymousGrowth(in: $0) }.max()
    }

    /// The possible error of the anonymous peak due to late or lost samples; `nil` without any.
    package var anonymousPeakUncertainty: ByteCount? {
        let peaks = anonymousPeaks.filter { Phase.peaking.contains($0.phase) }
        guard let bound = peaks.compactMap(\.gapBound).max(), let proven = peaks.map(\.proven).max() else { return nil }
        return max(.zero, bound - proven)
    }

    /// The least exact peak source of the phases.
    package var peakSource: PeakSource? {
        let sources = Phase.peaking.compactMap { reading(of: $0)?.peak.source }
        return sources.first { $0 != .highWaterMark } ?? sources.first
    }

    /// The bytes requested by all simultaneous fetches, or `nil` if unknown.
    package var requestedByteCount: ByteCount? {
        assetByteCount.map { ByteCount($0.rawValue * cell.conditions.concurrency) }
    }

    /// The peak growth in copies of the requested bytes (k).
    ///
    /// It is `nil` if nothing was fetched, and in scenarios that fetch other amounts than one asset.
    package var copiesHeld: Double? {
        guard cell.conditions.scenario == .none || report?.scenario?.isOneFetch == true,
            let growth = peakResidentGrowth, let size = requestedByteCount, size.rawValue > 0
        else { return nil }
        return Double(growth.rawValue) / Double(size.rawValue)
    }

    /// The resident size after everything was dropped and has settled, over the baseline.
    package var retainedResidentGrowth: ByteCount? {
        guard let baseline, let settled = report?.settled else { return nil }
        return settled.memory.resident - baseline.resident
    }

    /// The anonymous memory after everything was dropped and has settled, over the baseline.
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
