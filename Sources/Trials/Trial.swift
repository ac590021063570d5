// SPDX-License-Identifier: Apache-2.0

package import MemProbe
package import TrialKit

/// A stored trial: one fresh process that measured one case once.
package struct Trial: Codable, Hashable, Sendable {
    package var number: Int
    package var cell: Case
    package var seed: UInt64
    package var pairing: Pairing?
    package var outcome: Outcome
    package var assetByteCount: ByteCount?
    /// The length of the body that each request sends; `nil` for none.
    package var sentByteCount: ByteCount?
    /// The version of HTTP in which the body came: as the embedded origin counted, or as libcurl agreed with a foreign
    /// server, of a mode that supports it; `nil` if unknown.
    package var httpVersion: HTTPProtocol?
    package var report: TrialReport?
    package var anonymousPeaks: [AnonymousPeak]
    /// The largest resident size that the harness sampled from `fetch` to `render`.
    package var sampledMaximum: ByteCount?
    package var samplesDegraded: Bool
    package var processNanoseconds: Int
    /// The descriptions of failed plausibility checks.
    package var doubts: [String]
    /// The charge of the trial's control group; `nil` if it had none of its own.
    package var charge: TrialCharge?
    /// The identifier of the host that measured it; `nil` unless the run is of shards.
    package var host: String?

    package init(
        number: Int, cell: Case, seed: UInt64, pairing: Pairing? = nil, outcome: Outcome,
        assetByteCount: ByteCount? = nil, sentByteCount: ByteCount? = nil, report: TrialReport? = nil,
        anonymousPeaks: [AnonymousPeak], sampledMaximum: ByteCount? = nil, samplesDegraded: Bool,
        processNanoseconds: Int, doubts: [String]
    ) {
        (self.number, self.cell, self.seed, self.pairing) = (number, cell, seed, pairing)
        (self.outcome, self.assetByteCount, self.sentByteCount) = (outcome, assetByteCount, sentByteCount)
        (self.report, self.anonymousPeaks, self.sampledMaximum) = (report, anonymousPeaks, sampledMaximum)
        (self.samplesDegraded, self.processNanoseconds) = (samplesDegraded, processNanoseconds)
        self.doubts = doubts
    }

    private enum CodingKeys: String, CodingKey {
        case seed, pairing, outcome, report, doubts, charge, host
        case number = "trial"
        case cell = "case"
        case assetByteCount = "asset_bytes"
        case sentByteCount = "sent_bytes"
        case httpVersion = "http_version"
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
    package var lowerBound: ByteCount?
    /// The upper bound, if file-backed memory only grew; otherwise `nil`.
    package var upperBound: ByteCount?
    package var gapBound: ByteCount?

    package init(
        phase: Phase, sampledMaximum: ByteCount, lowerBound: ByteCount? = nil, upperBound: ByteCount? = nil,
        gapBound: ByteCount? = nil
    ) {
        (self.phase, self.sampledMaximum) = (phase, sampledMaximum)
        (self.lowerBound, self.upperBound, self.gapBound) = (lowerBound, upperBound, gapBound)
    }

    /// The proven maximum: the sampled one, or the kernel's lower bound if a spike fell between two samples.
    package var proven: ByteCount { max(sampledMaximum, lowerBound ?? .zero) }

    private enum CodingKeys: String, CodingKey {
        case phase
        case sampledMaximum = "sampled_maximum_bytes"
        case lowerBound = "lower_bound_bytes"
        case upperBound = "upper_bound_bytes"
        case gapBound = "gap_bound_bytes"
    }
}

extension Trial {
    package var isCompleted: Bool { outcome.kind == .completed }

    package var baseline: Snapshot? { report?.baseline?.memory }

    /// True for a command whose growth is all that it held, because nothing is known of it without a body.
    package var countsFromNothing: Bool { report?.command != nil && baseline?.resident == .zero }

    package func reading(of phase: Phase) -> PhaseReading? {
        report?.phases.first { $0.phase == phase }
    }

    package func peakResidentGrowth(in phase: Phase) -> ByteCount? {
        guard let baseline, let reading = reading(of: phase) else { return nil }
        return reading.peak.resident - baseline.resident
    }

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

    package var peakSource: PeakSource? {
        let sources = Phase.peaking.compactMap { reading(of: $0)?.peak.source }
        return sources.first { $0 != .highWaterMark } ?? sources.first
    }

    /// The bytes requested by all simultaneous fetches, or `nil` if unknown.
    package var requestedByteCount: ByteCount? {
        // The size of a set is that of all its assets already.
        let count = report?.body?.bodyCount == nil ? cell.conditions.concurrency : 1
        return assetByteCount.map { ByteCount($0.rawValue * count) }
    }

    /// True if the body was decoded while it was fetched, so that the memory of the fetch includes the result.
    package var decodesWhileFetching: Bool {
        report?.isDecodedWhileFetching == true || report?.picture?.fallbackCount != nil
            || cell.conditions.display == .atOnce
    }

    /// The size below which a body has no k: two pages, in which memory is counted.
    private static let smallestWithCopies = ByteCount.kibibytes(8)

    /// The bytes that k is over, those of the answers or of the requests' bodies, whichever are more.
    private var carriedByteCount: ByteCount? {
        let sent = sentByteCount.map { ByteCount($0.rawValue * cell.conditions.concurrency) }
        return [requestedByteCount, sent].compactMap(\.self).max()
    }

    /// The copies of the transferred bytes in memory at the peak of the fetch, before anything is decoded: k.
    ///
    /// No other figure is called k. It is `nil` for bodies that are too small, if the fetch decodes, if a command counts from
    /// nothing, and in scenarios that fetch other amounts than one asset.
    package var copiesHeld: Double? {
        guard cell.conditions.scenario == .none || report?.scenario?.isOneFetch == true, !decodesWhileFetching,
            !countsFromNothing, let growth = [Phase.fetch, .hold].compactMap(peakResidentGrowth(in:)).max(),
            let size = carriedByteCount, size >= Self.smallestWithCopies
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

package struct Outcome: Codable, Hashable, Sendable {
    package enum Kind: String, Codable, Hashable, Sendable, CaseIterable {
        /// The trial finished, with the expected body.
        case completed
        /// The fetch or the rendering failed, or the report was invalid.
        case failed
        /// The process ended by a signal, or with a nonzero exit status.
        case crashed
        case timedOut = "timed_out"
        case overLimit = "over_limit"
        /// The kernel killed a process of it, because its control group was charged more than a limit.
        case killedByLimit = "killed_by_limit"
        case wrongBody = "wrong_body"
        /// A limit stopped it before anything was allocated.
        case rejected
    }
    package var kind: Kind
    /// A description; empty for completed trials.
    package var detail: String

    /// The description without its figures, the same for failures that differ only in them.
    package var cause: String { "\(kind.rawValue): " + detail.replacing(/[0-9][0-9.,]*/, with: "#") }

    package init(_ kind: Kind, _ detail: String = "") {
        (self.kind, self.detail) = (kind, detail)
    }

    package static let completed = Outcome(.completed)
}

/// One of the two builds or commands that are compared on one machine.
package enum Side: String, Codable, Hashable, Sendable, CaseIterable {
    case base
    case head
}

package enum PairStage: String, Codable, Hashable, Sendable {
    /// The discarded first pair of each case, which warms the caches of the machine.
    case warmup
    case screening
    case confirmation
}

package struct Pairing: Codable, Hashable, Sendable {
    package var side: Side
    package var stage: PairStage

    package init(side: Side, stage: PairStage) { (self.side, self.stage) = (side, stage) }
}

/// The trials of one case on both sides, in the order of the pairs.
package struct PairedTrials: Hashable, Sendable {
    package var base: [Trial]
    package var head: [Trial]

    package init(base: [Trial] = [], head: [Trial] = []) {
        (self.base, self.head) = (base, head)
    }

    package subscript(side: Side) -> [Trial] {
        get { side == .base ? base : head }
        set { if side == .base { base = newValue } else { head = newValue } }
    }
}

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
    package var netPeak: ByteCount? { Phase.peaking.compactMap { netPeak(in: $0) }.max() }

    /// The upper bound of the peak that limits are for, of a command that had several processes; else `nil`.
    package var jointPeakAtMost: ByteCount? {
        guard let command = report?.command, command.processCount > 1 else { return nil }
        return command.netPeakAtMost ?? command.peak.resident + command.peak.errorBound
    }

    /// The net peak over the net baseline; for a command that counts from nothing, the net peak itself.
    package var netPeakGrowth: ByteCount? {
        guard let netPeak, let netBaseline else { return nil }
        return netPeak - netBaseline
    }

    /// The upper bound of the growth that limits are for, of a command that had several processes; else `nil`.
    package var jointGrowthAtMost: ByteCount? {
        guard let jointPeakAtMost, let netBaseline else { return jointPeakAtMost }
        return jointPeakAtMost - netBaseline
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

    /// Returns the impossible values of a stored trial; its report is checked as on arrival, as far as possible later.
    package func mistakes(limits: MachineLimits) -> [DocumentMistake] {
        var fields = FieldChecks()
        fields.number(number, "trial", from: 1, to: FieldChecks.Bound(Limits.count))
        fields.number(processNanoseconds, "process_duration_ns", to: FieldChecks.Bound(Limits.duration))
        fields.size(assetByteCount, "asset_bytes", to: FieldChecks.Bound(Limits.body))
        fields.size(sentByteCount, "sent_bytes", to: FieldChecks.Bound(Limits.body))
        fields.size(sampledMaximum, "sampled_maximum_resident_bytes", to: FieldChecks.Bound(Limits.memory))
        fields.check(cell.conditions, { "case.conditions" })
        for index in anonymousPeaks.indices where !fields.isFull {
            let (peak, place) = (anonymousPeaks[index], { "anonymous_peaks[\(index)]" })
            let (least, most) = (FieldChecks.Bound(-Limits.addresses.rawValue), FieldChecks.Bound(Limits.addresses))
            fields.size(peak.sampledMaximum, "sampled_maximum_bytes", place, from: least, to: most)
            fields.size(peak.lowerBound, "lower_bound_bytes", place, from: least, to: most)
            fields.size(peak.upperBound, "upper_bound_bytes", place, from: least, to: most)
            fields.size(peak.gapBound, "gap_bound_bytes", place, from: least, to: most)
        }
        charge?.check(&fields) { "charge" }
        if isCompleted, report == nil { fields.add("report", "is missing, and the trial completed") }
        let inReport = report.map { ReportCheck.mistakes(in: $0, limits: limits) } ?? []
        return fields.mistakes + inReport.map { $0.inside("report") }
    }

}

extension FieldChecks {
    package mutating func check(_ conditions: FetchConditions, _ place: Place) {
        number(conditions.concurrency, "concurrency", place, from: 1, to: Bound(Limits.fetches))
        number(conditions.consumerDelayNanoseconds, "consumer_delay_ns", place, to: Bound(Limits.duration))
    }
}

/// A selection of a run's trials without copying them: a trial has kilobytes, and a run may have ten thousand.
package struct TrialList: RandomAccessCollection, Sendable {
    private let all: [Trial]
    private let places: [Int]

    package init(_ all: [Trial], at places: [Int]? = nil) {
        self.all = all
        self.places = places ?? Array(all.indices)
    }

    package var startIndex: Int { 0 }
    package var endIndex: Int { places.count }
    package subscript(position: Int) -> Trial { all[places[position]] }

    package var completedCount: Int {
        all.withUnsafeBufferPointer { all in places.count { all[$0].isCompleted } }
    }

    /// Returns a function's values for the completed trials.
    ///
    /// It copies each of them once and no other: a trial has kilobytes, and a table asks for a hundred metrics.
    package func ofCompleted<Value>(_ value: (Trial) -> Value?) -> [Value] {
        all.withUnsafeBufferPointer { all in places.compactMap { all[$0].isCompleted ? value(all[$0]) : nil } }
    }
}
