// SPDX-License-Identifier: Apache-2.0

package import MemProbe
import Texts
package import TrialKit

/// The memory that the control group of a trial was charged, with its children and what the kernel held for them.
package struct TrialCharge: Codable, Hashable, Sendable {
    /// The highest charge of the whole trial, by the kernel's mark.
    package var peak: ChargePeak
    /// The parts of the highest sample, which can be lower than ``peak``.
    package var highest: MemoryCharge?
    /// The charge at the mark that growth counts from; `nil` for a command, and without a mark.
    package var baseline: MemoryCharge?
    /// The highest sample from `fetch` to `render`; `nil` for a command, whose whole life counts.
    package var sampledPeak: ByteCount?
    package var phaseEnds: [String: MemoryCharge]
    /// The pages that had to be read again, because the group was short of memory.
    package var reclaim: ReclaimCounts?
    package var killCount: Int?
    package var limitHits: Int?
    /// The nearest control group above whose limit was reached meanwhile; `nil` if none was.
    package var limitAbove: ControlGroup.LimitAbove?
    /// The memory in swap space at the end; `nil` if the kernel does not count it.
    package var swapped: ByteCount?

    private enum CodingKeys: String, CodingKey {
        case peak, highest, baseline, reclaim
        case sampledPeak = "sampled_peak_bytes"
        case phaseEnds = "phase_ends"
        case killCount = "processes_killed"
        case limitHits = "limit_hits"
        case limitAbove = "limit_above"
        case swapped = "swapped_bytes"
    }

    package init?(_ series: ChargeSeries, report: TrialReport?) {
        guard let peak = series.peak else { return nil }
        let samples = series.samples
        self.peak = peak
        // By its parts, which are read after the whole: it may have begun to fall.
        highest = samples.max { $0.charge.sumOfParts < $1.charge.sumOfParts }?.charge
        reclaim = series.reclaim
        killCount = series.killCount
        limitHits = series.limitHits
        limitAbove = series.limitAbove
        swapped = series.swapped
        phaseEnds = [:]
        guard let report, report.command == nil || report.scenario != nil, let mark = report.baseline else { return }
        /// The last sample up to a time: marks wait for a quiet moment, so that little changes until then.
        func charge(at time: Int) -> MemoryCharge? { samples.last { $0.timeNanoseconds <= time }?.charge }
        baseline = charge(at: mark.memory.timeNanoseconds)
        for reading in report.phases {
            phaseEnds[reading.phase.rawValue] = charge(at: reading.end.memory.timeNanoseconds)
        }
        let peaking = report.phases.filter { Phase.peaking.contains($0.phase) }
        guard let start = peaking.first?.startNanoseconds, let end = peaking.last?.endNanoseconds else { return }
        // With the last sample before them: phases of the null case are shorter than the time between two samples.
        let inside = samples.filter { (start...end).contains($0.timeNanoseconds) }.map(\.charge.total)
        sampledPeak = (inside + [charge(at: start)?.total].compactMap(\.self)).max()
    }
}

extension TrialCharge {
    /// The growth of the charge from the mark after the warm-up to the highest charge from `fetch` to `render`.
    ///
    /// The kernel's mark is of the whole trial: it counts where no sample before the mark was higher.
    package var growth: ByteCount? {
        guard let baseline, let sampledPeak else { return nil }
        let isOfPhases = highest.map { $0.total <= sampledPeak } ?? false
        return (isOfPhases ? peak.total : sampledPeak) - baseline.total
    }

    func check(_ fields: inout FieldChecks, _ place: @escaping FieldChecks.Place) {
        let most = FieldChecks.Bound(Limits.addresses)
        fields.size(peak.total, "peak.total_bytes", place, to: most)
        fields.size(peak.errorBound, "peak.error_bound_bytes", place, to: most)
        fields.size(sampledPeak, "sampled_peak_bytes", place, to: most)
        fields.size(swapped, "swapped_bytes", place, to: most)
        fields.number(killCount, "processes_killed", place, to: FieldChecks.Bound(Limits.count))
        fields.number(limitHits, "limit_hits", place, to: FieldChecks.Bound(Limits.count))
        fields.number(reclaim?.refaultedPages, "reclaim.refaulted_pages", place, to: FieldChecks.Bound(Limits.count))
        fields.number(reclaim?.majorFaults, "reclaim.major_faults", place, to: FieldChecks.Bound(Limits.count))
        for charge in [highest, baseline].compactMap(\.self) + phaseEnds.values where !fields.isFull {
            fields.size(charge.total, "total_bytes", place, to: most)
            fields.size(charge.anonymous, "anonymous_bytes", place, to: most)
            fields.size(charge.pageCache, "page_cache_bytes", place, to: most)
            fields.size(charge.sharedMemory, "shared_memory_bytes", place, to: most)
            fields.size(charge.sockets, "sockets_bytes", place, to: most)
            fields.size(charge.kernel, "kernel_bytes", place, to: most)
        }
    }
}

extension ControlGroup.LimitAbove {
    /// The limit and its place: `the limit of 120.0 MiB of a control group above (/sys/fs/cgroup/…)`.
    package var words: String {
        "the limit\(limit.map { " of " + ByteText.mebibytes($0) } ?? "") of a control group above (\(folder))"
    }
}

extension MemoryCharge {
    fileprivate var sumOfParts: ByteCount {
        anonymous + pageCache + sharedMemory + (sockets ?? .zero) + (kernel ?? .zero)
    }

    /// The charge with its parts of at least 0.1 MiB: `64.0 MiB (60.1 anonymous, 3.6 page cache)`.
    package var words: String {
        let parts: [(size: ByteCount?, name: String)] = [
            (anonymous, "anonymous"), (pageCache, "page cache"), (sharedMemory, "shared memory"), (sockets, "sockets"),
            (kernel, "kernel"),
        ]
        let shown = parts.compactMap { part in
            part.size.flatMap { $0.mebibytes >= 0.1 ? "\(ByteText.fixed($0.mebibytes, places: 1)) \(part.name)" : nil }
        }
        return ByteText.mebibytes(total) + (shown.isEmpty ? "" : " (\(shown.joined(separator: ", ")))")
    }
}
