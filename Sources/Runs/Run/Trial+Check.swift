// SPDX-License-Identifier: Apache-2.0

import MemProbe
import TrialKit

extension Trial {
    /// What cannot be in a stored trial, by field; empty of one that can be used.
    ///
    /// Its report is held to the same as when it entered, as far as that can be known later.
    /// - Parameter limits: what the machine had on which it was measured.
    private func mistakes(limits: MachineLimits) -> [DocumentMistake] {
        var fields = FieldChecks()
        fields.number(number, "trial", from: 1, to: FieldChecks.Bound(Limits.count))
        fields.number(processNanoseconds, "process_duration_ns", to: FieldChecks.Bound(Limits.duration))
        fields.size(assetByteCount, "asset_bytes", to: FieldChecks.Bound(Limits.body))
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
        if isCompleted, report == nil { fields.add("report", "is missing, and the trial completed") }
        let inReport = report.map { ReportCheck.mistakes(in: $0, limits: limits) } ?? []
        return fields.mistakes + inReport.map { $0.inside("report") }
    }

    /// - Throws: ``DocumentMistake``, the first of them.
    func check(limits: MachineLimits) throws(DocumentMistake) {
        if let mistake = mistakes(limits: limits).first { throw mistake }
    }
}

extension FieldChecks {
    /// Holds conditions to what can be multiplied.
    mutating func check(_ conditions: FetchConditions, _ place: Place) {
        number(conditions.concurrency, "concurrency", place, from: 1, to: Bound(Limits.fetches))
        number(conditions.consumerDelayNanoseconds, "consumer_delay_ns", place, to: Bound(Limits.duration))
    }
}

extension MachineLimits {
    /// Those of the machine that a stored run was measured on.
    ///
    /// How much memory and swap space it had at that time is not known for certain.
    package init(of environment: MachineEnvironment) {
        let bound = min(max(.zero, environment.peakErrorBound), Limits.memory)
        self = .any
        errorBound = bound
    }
}
