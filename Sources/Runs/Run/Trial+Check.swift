// SPDX-License-Identifier: Apache-2.0

import MemProbe
import TrialKit

extension Trial {
    /// Returns the impossible values of a stored trial; its report is checked as on arrival, as far as possible later.
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

    /// Throws the first mistake.
    func check(limits: MachineLimits) throws(DocumentMistake) {
        if let mistake = mistakes(limits: limits).first { throw mistake }
    }
}

extension FieldChecks {
    /// Checks that conditions can be calculated with.
    mutating func check(_ conditions: FetchConditions, _ place: Place) {
        number(conditions.concurrency, "concurrency", place, from: 1, to: Bound(Limits.fetches))
        number(conditions.consumerDelayNanoseconds, "consumer_delay_ns", place, to: Bound(Limits.duration))
    }
}

extension MachineLimits {
    /// Creates the limits of the machine of a stored run.
    ///
    /// Its memory and swap space at that time are unknown.
    package init(of environment: MachineEnvironment) {
        let bound = min(max(.zero, environment.peakErrorBound), Limits.memory)
        self = .any
        errorBound = bound
    }
}
