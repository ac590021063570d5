// SPDX-License-Identifier: Apache-2.0

import MemProbe

extension Metric {
    /// The highest resident size from `fetch` to `render`, over the baseline.
    public static let peakResidentGrowth = bytes("peak_resident_growth_bytes") { $0.peakResidentGrowth }
    /// The highest anonymous memory from `fetch` to `render`, over the baseline.
    public static let peakAnonymousGrowth = bytes("peak_anonymous_growth_bytes") { $0.peakAnonymousGrowth }
    /// Peak growth ÷ asset size (k).
    public static let copiesHeld = Metric("copies_held_ratio", .ratio) { $0.copiesHeld }
    /// What stays resident after everything was dropped.
    public static let retainedResidentGrowth = bytes("retained_resident_growth_bytes") { $0.retainedResidentGrowth }
    /// What stays anonymous after everything was dropped.
    public static let retainedAnonymousGrowth = bytes("retained_anonymous_growth_bytes") {
        $0.retainedAnonymousGrowth
    }
    /// What of the fetched file is in the page cache.
    public static let pageCache = bytes("page_cache_bytes") { $0.report?.body?.pageCache }
    /// The largest resident size that was sampled, over the baseline: what a sampler alone would call the peak.
    public static let sampledMaximum = bytes("sampled_maximum_resident_growth_bytes") { $0.sampledMaximumGrowth }
    /// The CPU time of hashing the body.
    public static let verificationCPU = nanoseconds("verification_cpu_ns") {
        $0.report?.body?.verificationCPUNanoseconds
    }
    /// From spawning the process to its end.
    public static let processDuration = nanoseconds("process_duration_ns") { $0.processNanoseconds }
    /// The resident size at the mark that ends the warm-up.
    public static let baselineResident = bytes("baseline_resident_bytes") {
        $0.report?.command == nil ? $0.baseline?.resident : nil
    }
    /// The anonymous memory at the mark that ends the warm-up.
    public static let baselineAnonymous = bytes("baseline_anonymous_bytes") {
        $0.report?.command == nil ? $0.baseline?.anonymous : nil
    }
    /// The highest resident size from `fetch` to `render` itself, which repeats as well as the whole process does.
    public static let peakResident = bytes("peak_resident_bytes") { trial in
        Phase.peaking.compactMap { trial.reading(of: $0)?.peak.resident }.max()
    }
    /// The highest anonymous memory from `fetch` to `render` itself.
    public static let peakAnonymous = bytes("peak_anonymous_bytes") { trial in
        trial.anonymousPeaks.filter { Phase.peaking.contains($0.phase) }.map(\.proven).max()
    }
    /// The highest resident size from `fetch` to `render` without program pages.
    public static let netPeak = bytes("net_peak_bytes") { $0.netPeak }
    /// The net peak over the net baseline: what the fetch held, wherever the program's file lies.
    public static let netPeakGrowth = bytes("net_peak_growth_bytes") { $0.netPeakGrowth }
    /// The program pages at the mark that ends the warm-up.
    public static let baselineProgramPages = bytes("baseline_program_bytes") {
        $0.report?.command == nil ? $0.baseline?.programPages : nil
    }
    /// The program pages within the peak.
    public static let programPages = bytes("program_bytes") { $0.programPages }
    /// What stays resident after the allocator was asked to give everything back, over the baseline.
    public static let purgedResidentGrowth = bytes("purged_resident_growth_bytes") { trial in
        guard let baseline = trial.baseline, let purged = trial.report?.purged else { return nil }
        return purged.memory.resident - baseline.resident
    }
    /// The bitmaps alive at the end of `render`, by their own ledger.
    public static let bitmap = bytes("bitmap_bytes") { $0.report?.picture?.bitmapByteCount }

    /// The encoded copies held while the picture is: (anonymous memory at the end of `render` − bitmaps) ÷ asset size.
    ///
    /// This is the k that can be carried from one system to another; `nil` where nothing was decoded.
    public static let copiesBesideBitmap = Metric("copies_beside_bitmap_ratio", .ratio) { trial in
        guard let baseline = trial.baseline, let end = trial.reading(of: .render)?.end.memory,
            let picture = trial.report?.picture, let size = trial.requestedByteCount, size.rawValue > 0
        else { return nil }
        // Read at the end: in between the decoder holds memory of its own, such as a progressive picture's coefficients.
        let growth = end.anonymous - baseline.anonymous
        return Double((growth - picture.bitmapByteCount).rawValue) / Double(size.rawValue)
    }

    /// The six figures of one phase.
    public static func figures(of phase: Phase) -> [Metric] {
        let name = phase.rawValue
        return [
            bytes("\(name)_peak_resident_growth_bytes") { $0.peakResidentGrowth(in: phase) },
            bytes("\(name)_peak_anonymous_growth_bytes") { $0.peakAnonymousGrowth(in: phase) },
            nanoseconds("\(name)_duration_ns") {
                $0.reading(of: phase).map { $0.endNanoseconds - $0.startNanoseconds }
            },
            nanoseconds("\(name)_cpu_ns") { $0.reading(of: phase)?.cpuNanoseconds },
            bytes("\(name)_allocator_allocated_bytes") { $0.reading(of: phase)?.end.allocator?.allocated },
            bytes("\(name)_allocator_resident_bytes") { $0.reading(of: phase)?.end.allocator?.resident },
        ]
    }

    /// Every metric, in the order of the columns.
    public static let all: [Metric] =
        [baselineResident, baselineAnonymous, peakResidentGrowth, peakAnonymousGrowth, copiesHeld]
        + Phase.measured.flatMap { figures(of: $0) }
        + [
            retainedResidentGrowth, retainedAnonymousGrowth, pageCache, sampledMaximum, verificationCPU,
            processDuration, purgedResidentGrowth, bitmap, copiesBesideBitmap, peakResident,
            peakAnonymous, netPeakGrowth, netPeak, baselineProgramPages, programPages,
        ]

    private static func bytes(_ name: String, _ value: @escaping @Sendable (Trial) -> ByteCount?) -> Metric {
        Metric(name, .bytes) { trial in value(trial).map { Double($0.rawValue) } }
    }

    private static func nanoseconds(_ name: String, _ value: @escaping @Sendable (Trial) -> Int?) -> Metric {
        Metric(name, .nanoseconds) { trial in value(trial).map(Double.init) }
    }
}

extension Metric {
    /// The wall time of a phase.
    public static func duration(of phase: Phase) -> Metric { figures(of: phase)[2] }
    /// The CPU time of a phase.
    public static func cpu(of phase: Phase) -> Metric { figures(of: phase)[3] }
    /// What the allocator counts as allocated at the end of a phase.
    public static func allocated(at phase: Phase) -> Metric { figures(of: phase)[4] }
    /// What the allocator counts as resident at the end of a phase.
    public static func allocatorResident(at phase: Phase) -> Metric { figures(of: phase)[5] }
}
