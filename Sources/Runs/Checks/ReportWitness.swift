// SPDX-License-Identifier: Apache-2.0

/// The harness's own observations of a trial, which its report has to match.
///
/// They are the request, the lifetime of the process, the samples, and the bytes that the origin sent.
package struct ReportWitness: Sendable {
    /// The part of a body that the origin has to have sent after the mark from which growth counts.
    package enum Sending: Hashable, Sendable {
        /// Unknown: another server, a cache, or a scenario of many bodies.
        case unknown
        /// A part, because the body is compressed.
        case some
        case whole
    }

    package struct Asked: Hashable, Sendable {
        package var version: Int
        package var verification: Verification
        package var isCommand: Bool
        package var playsScenario: Bool
        package var fetches: Bool
        package var sending: Sending

        package init(
            version: Int, verification: Verification, isCommand: Bool = false, playsScenario: Bool = false,
            fetches: Bool, sending: Sending = .unknown
        ) {
            (self.version, self.verification) = (version, verification)
            (self.isCommand, self.playsScenario) = (isCommand, playsScenario)
            (self.fetches, self.sending) = (fetches, sending)
        }
    }

    package var asked: Asked?
    /// The time from before spawning to the end of the process, on the monotonic clock; `nil` if unknown.
    package var life: ClosedRange<Int>?
    package var samples: [Sample]
    /// Returns the bytes of bodies that the origin sent from an instant on; `nil` if it does not count them.
    package var sent: (@Sendable (_ nanoseconds: Int) -> Int)?
    package var limits: MachineLimits

    package init(
        asked: Asked?, life: ClosedRange<Int>? = nil, samples: [Sample] = [],
        sent: (@Sendable (_ nanoseconds: Int) -> Int)? = nil, limits: MachineLimits = .current
    ) {
        (self.asked, self.life, self.samples, self.sent) = (asked, life, samples, sent)
        self.limits = limits
    }

    package func mistakes(in report: TrialReport) -> [DocumentMistake] {
        let impossible = ReportCheck.mistakes(in: report, limits: limits)
        // The following comparisons need checked values.
        guard impossible.isEmpty else { return impossible }
        var fields = FieldChecks()
        checkTimes(of: report, &fields)
        if let asked { check(report, asked, &fields) }
        guard fields.mistakes.isEmpty else { return fields.mistakes }
        return SampleCheck(samples: samples, limits: limits)
            .mistakes(in: report, playsScenario: asked?.playsScenario ?? false)
    }

    /// Returns the descriptions of implausible values in a report without mistakes.
    package func doubts(about report: TrialReport) -> [String] {
        SampleCheck(samples: samples, limits: limits).doubts(about: report)
    }

    /// Checks that every instant is within the lifetime of the process; another clock would be off by years.
    private func checkTimes(of report: TrialReport, _ fields: inout FieldChecks) {
        guard let life else { return }
        for instant in ReportCheck.ReportInstant.all(of: report) {
            fields.number(
                instant.time, instant.field, from: FieldChecks.Bound(life.lowerBound, "when the process was started"),
                to: FieldChecks.Bound(life.upperBound, "when the process had ended"))
            // A wrong clock is wrong throughout, so one mistake is enough.
            guard fields.mistakes.isEmpty else { return }
        }
    }

    private func check(_ report: TrialReport, _ asked: Asked, _ fields: inout FieldChecks) {
        if report.version != asked.version {
            fields.add("version", "is \(report.version), expected \(asked.version), that of the request")
        }
        if !asked.isCommand, report.command != nil {
            fields.add("command", "is present, but no command was traced")
        }
        if asked.isCommand, report.command == nil, report.failure == nil {
            fields.add("command", "is missing, and the trial did not fail")
        }
        guard report.failure == nil else { return }
        checkBaseline(of: report, &fields)
        guard asked.fetches else { return }
        if report.body == nil, !asked.isCommand, !asked.playsScenario {
            fields.add("body", "is missing, but the asset had to be fetched")
        }
        for (body, field) in [(report.body, "body"), (report.scenario?.body, "scenario.body")] {
            guard let body, asked.verification == .sha256, body.sha256 == nil else { continue }
            fields.add("\(field).sha256", "is missing, but the body had to be verified by it")
        }
        guard isShortOfSentBytes(report) else { return }
        fields.add(
            "body.bytes",
            "is \(report.body?.byteCount.rawValue ?? 0), but the origin has sent less since the baseline: it was not "
                + "fetched in the trial")
    }

    /// Checks that memory does not fall after the baseline: growth would count from a wrong mark.
    private func checkBaseline(of report: TrialReport, _ fields: inout FieldChecks) {
        guard report.command == nil, let baseline = report.baseline?.memory, let fetch = report.phases.first else {
            return
        }
        fields.size(
            fetch.peak.resident, "phases[0].peak.resident_bytes",
            from: FieldChecks.Bound(
                max(.zero, baseline.resident - limits.tolerance - fetch.peak.errorBound),
                "baseline.memory.resident_bytes minus tolerance"),
            to: FieldChecks.Bound(limits.memory))
    }

    /// True if the report has a body that the origin did not send during the trial.
    package func isShortOfSentBytes(_ report: TrialReport) -> Bool {
        guard let asked, asked.sending != .unknown, report.failure == nil, let sent, let body = report.body,
            let start = report.baseline?.memory.timeNanoseconds
        else { return false }
        return sent(start) < (asked.sending == .whole ? body.byteCount.rawValue : min(1, body.byteCount.rawValue))
    }
}
