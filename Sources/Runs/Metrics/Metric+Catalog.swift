// SPDX-License-Identifier: Apache-2.0

import MemProbe
import TrialKit

extension Metric {
    package static let peakResidentGrowth = bytes(
        "peak_resident_growth_bytes", short: "growth",
        "the highest resident size from fetch to render, over the mark after the warm-up"
    ) { $0.peakResidentGrowth }
    package static let peakAnonymousGrowth = bytes(
        "peak_anonymous_growth_bytes", short: "anonymous",
        "the highest anonymous memory from fetch to render, over the mark; judged"
    ) { $0.peakAnonymousGrowth }
    package static let copiesHeld = Metric("copies_held_ratio", short: "k", .ratio, "peak growth ÷ asset size (k)") {
        $0.copiesHeld
    }
    package static let retainedResidentGrowth = bytes(
        "retained_resident_growth_bytes", short: "retained",
        "resident memory left after everything was released, relative to the mark"
    ) { $0.retainedResidentGrowth }
    package static let retainedAnonymousGrowth = bytes(
        "retained_anonymous_growth_bytes", short: "retained_anonymous",
        "anonymous memory left after everything was released, relative to the mark"
    ) { $0.retainedAnonymousGrowth }
    package static let pageCache = bytes(
        "page_cache_bytes", short: "page_cache",
        "page cache of the fetched file (belongs to no process)", better: .neither
    ) { $0.report?.body?.pageCache }
    package static let sampledMaximum = bytes(
        "sampled_maximum_resident_growth_bytes", short: "sampled_maximum",
        "the largest sample, relative to the mark: the peak as a sampler alone would see it", better: .neither
    ) { $0.sampledMaximumGrowth }
    package static let verificationCPU = nanoseconds(
        "verification_cpu_ns", short: "verification_cpu", "the CPU time of hashing the body", better: .neither
    ) {
        $0.report?.body?.verificationCPUNanoseconds
    }
    package static let processDuration = nanoseconds(
        "process_duration_ns", short: "process_duration", "from spawning the process to its end"
    ) {
        $0.processNanoseconds
    }
    package static let baselineResident = bytes(
        "baseline_resident_bytes", short: "baseline_resident",
        "the resident size at the mark after the warm-up; of commands none"
    ) { $0.report?.command == nil ? $0.baseline?.resident : nil }
    package static let baselineAnonymous = bytes(
        "baseline_anonymous_bytes", short: "baseline_anonymous",
        "the anonymous memory at the mark: the cost of start and warm-up; judged"
    ) { $0.report?.command == nil ? $0.baseline?.anonymous : nil }
    package static let peakResident = bytes(
        "peak_resident_bytes", short: "whole_peak",
        "the whole process at its peak, program pages included: printed, never judged", better: .neither
    ) { trial in
        Phase.peaking.compactMap { trial.reading(of: $0)?.peak.resident }.max()
    }
    package static let peakAnonymous = bytes(
        "peak_anonymous_bytes", short: "whole_anonymous",
        "the whole anonymous memory at its highest from fetch to render"
    ) { trial in
        trial.anonymousPeaks.filter { Phase.peaking.contains($0.phase) }.map(\.proven).max()
    }
    package static let netPeak = bytes(
        "net_peak_bytes", short: "net_peak",
        "the whole process at its peak without program pages; changes are relative to it"
    ) { $0.netPeak }
    /// The judged peak growth: the net peak over the net baseline, independent of the location of the program's file.
    package static let netPeakGrowth = bytes(
        "net_peak_growth_bytes", short: "peak",
        "peak growth without program pages, of commands the whole peak without them; judged",
        standIn: JudgedMetric.growthWithProgramPages.value
    ) { $0.netPeakGrowth }
    package static let baselineProgramPages = bytes(
        "baseline_program_bytes", short: "baseline_program_pages",
        "resident pages of the program and its libraries at the mark", better: .neither
    ) { $0.report?.command == nil ? $0.baseline?.programPages : nil }
    package static let programPages = bytes(
        "program_bytes", short: "program_pages",
        "resident pages of the program and its libraries at the end of the phase that peaks", better: .neither
    ) { $0.programPages }
    package static let purgedResidentGrowth = bytes(
        "purged_resident_growth_bytes", short: "purged",
        "resident memory left after the allocator was purged, relative to the mark"
    ) { trial in
        guard let baseline = trial.baseline, let purged = trial.report?.purged else { return nil }
        return purged.memory.resident - baseline.resident
    }
    package static let bitmap = bytes(
        "bitmap_bytes", short: "bitmap", "the bitmaps alive at the end of render, by their own ledger", better: .neither
    ) {
        $0.report?.picture?.bitmapByteCount
    }

    /// The encoded copies held beside the picture: (anonymous memory at the end of `render` − bitmaps) ÷ asset size.
    ///
    /// This k is comparable between operating systems; `nil` if nothing was decoded.
    package static let copiesBesideBitmap = Metric(
        "copies_beside_bitmap_ratio", short: "copies_beside_bitmap", .ratio,
        "(anonymous memory at the end of render − bitmaps) ÷ asset size: encoded copies held besides the picture"
    ) { trial in
        guard let baseline = trial.baseline, let end = trial.reading(of: .render)?.end.memory,
            let picture = trial.report?.picture, let size = trial.requestedByteCount, size.rawValue > 0
        else { return nil }
        // Read at the end: a decoder at work has memory of its own, such as a progressive picture's coefficients.
        let growth = end.anonymous - baseline.anonymous
        return Double((growth - picture.bitmapByteCount).rawValue) / Double(size.rawValue)
    }

    package static let pictureFallbacks = Metric(
        "picture_fallbacks", short: "picture_fallbacks", .ratio,
        "how many pictures of a mode that shows them itself are the fallback, because the body cannot be decoded",
        better: .neither
    ) { $0.report?.picture?.fallbackCount.map(Double.init) }

    package static let decodedRecords = Metric(
        "decoded_records", short: "decoded_records", .ratio,
        "how many records render model json decoded, compared with the asset's; held through the phase render",
        better: .neither
    ) { $0.report?.recordCount.map(Double.init) }

    /// The metrics of every trial whose columns precede those of scenarios.
    static let beforeScenarios: [Metric] =
        [baselineResident, baselineAnonymous, peakResidentGrowth, peakAnonymousGrowth, copiesHeld]
        + Phase.measured.flatMap { figures(of: $0) }
        + [
            retainedResidentGrowth, retainedAnonymousGrowth, pageCache, sampledMaximum, verificationCPU,
            processDuration, purgedResidentGrowth, bitmap, copiesBesideBitmap, peakResident,
            peakAnonymous, netPeakGrowth, netPeak, baselineProgramPages, programPages,
        ]
    /// The metrics of every trial that were added later, so that older columns keep their positions.
    static let afterScenarios = [pictureFallbacks] + ofCommands + [decodedRecords, tracing, sumOfNetPeaks]

    static func bytes(
        _ name: String, short: String, _ summary: String, better direction: Direction = .lower,
        standIn: (@Sendable (Trial) -> Double?)? = nil, _ value: @escaping @Sendable (Trial) -> ByteCount?
    ) -> Metric {
        Metric(name, short: short, .bytes, summary, better: direction, standIn: standIn) { trial in
            value(trial).map { Double($0.rawValue) }
        }
    }

    static func nanoseconds(
        _ name: String, short: String, _ summary: String, better direction: Direction = .lower,
        _ value: @escaping @Sendable (Trial) -> Int?
    ) -> Metric {
        Metric(name, short: short, .nanoseconds, summary, better: direction) { trial in value(trial).map(Double.init) }
    }
}
