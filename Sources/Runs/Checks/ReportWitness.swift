// SPDX-License-Identifier: Apache-2.0

package import MemProbe
package import TrialKit

/// What the harness of a trial knows beside its report, and holds it to: what was asked, when the process lived, what was
/// sampled of it, and what the origin sent.
package struct ReportWitness: Sendable {
    /// How much of a body the origin has to have sent after the mark that growth counts from.
    package enum Sending: Hashable, Sendable {
        /// Nothing that is known of: another server, a cache, a scenario of many bodies.
        case unknown
        /// Something: it is compressed on its way.
        case some
        /// All of it.
        case whole
    }

    /// What was asked for.
    package struct Asked: Hashable, Sendable {
        /// The version of the request.
        package var version: Int
        /// How a body was to be verified.
        package var verification: Verification
        /// Whether a command was to be traced.
        package var isCommand: Bool
        /// Whether a scenario was to be played.
        package var playsScenario: Bool
        /// Whether a body was to be fetched.
        package var fetches: Bool
        /// What the origin has to have sent.
        package var sending: Sending

        /// Creates what was asked for.
        package init(
            version: Int, verification: Verification, isCommand: Bool = false, playsScenario: Bool = false,
            fetches: Bool, sending: Sending = .unknown
        ) {
            self.version = version
            self.verification = verification
            self.isCommand = isCommand
            self.playsScenario = playsScenario
            self.fetches = fetches
            self.sending = sending
        }
    }

    /// What was asked for; `nil` where that is not known any more.
    package var asked: Asked?
    /// From the instant before the process was spawned to its end, on the monotonic clock; `nil` where nobody looked.
    package var life: ClosedRange<Int>?
    /// What was sampled of the process, in the order of time.
    package var samples: [Sample]
    /// How many bytes of bodies the origin sent from an instant on; `nil` where it keeps no account.
    package var sent: (@Sendable (_ nanoseconds: Int) -> Int)?
    /// What the machine has.
    package var limits: MachineLimits

    /// Creates a witness.
    package init(
        asked: Asked?, life: ClosedRange<Int>? = nil, samples: [Sample] = [],
        sent: (@Sendable (_ nanoseconds: Int) -> Int)? = nil, limits: MachineLimits = .current
    ) {
        self.asked = asked
        self.life = life
        self.samples = samples
        self.sent = sent
        self.limits = limits
    }

    /// What is wrong with a report, by field; empty of one that is believed.
    package func mistakes(in report: TrialReport) -> [DocumentMistake] {
        let impossible = ReportCheck.mistakes(in: report, limits: limits)
        // What is compared below is known to be in order and small enough.
        guard impossible.isEmpty else { return impossible }
        var fields = FieldChecks()
        checkTimes(of: report, &fields)
        if let asked { check(report, asked, &fields) }
        guard fields.mistakes.isEmpty else { return fields.mistakes }
        return SampleCheck(samples: samples, limits: limits)
            .mistakes(in: report, playsScenario: asked?.playsScenario ?? false)
    }

    /// What is hard to believe of a report without mistakes, in words.
    package func doubts(about report: TrialReport) -> [String] {
        SampleCheck(samples: samples, limits: limits).doubts(about: report)
    }

    /// Every instant lies in the life of the process: another clock is off by years.
    private func checkTimes(of report: TrialReport, _ fields: inout FieldChecks) {
        guard let life else { return }
        for instant in ReportInstant.all(of: report) {
            fields.number(
                instant.time, instant.field, from: FieldChecks.Bound(life.lowerBound, "when the process was started"),
                to: FieldChecks.Bound(life.upperBound, "when the process had ended"))
            // One clock is wrong throughout.
            guard fields.mistakes.isEmpty else { return }
        }
    }

    private func check(_ report: TrialReport, _ asked: Asked, _ fields: inout FieldChecks) {
        if report.version != asked.version {
            fields.add("version", "is \(report.version), expected \(asked.version), that of the request")
        }
        if !asked.isCommand, report.command != nil {
            fields.add("command", "is there, and no command was to be traced")
        }
        if asked.isCommand, report.command == nil, report.failure == nil {
            fields.add("command", "is missing, and the trial did not fail")
        }
        guard report.failure == nil else { return }
        checkBaseline(of: report, &fields)
        guard asked.fetches else { return }
        if report.body == nil, !asked.isCommand, !asked.playsScenario {
            fields.add("body", "is missing, and the asset was to be fetched")
        }
        for (body, field) in [(report.body, "body"), (report.scenario?.body, "scenario.body")] {
            guard let body, asked.verification == .sha256, body.sha256 == nil else { continue }
            fields.add("\(field).sha256", "is missing, and the body was to be verified by it")
        }
        guard isShortOfSentBytes(report) else { return }
        fields.add(
            "body.bytes",
            "is \(report.body?.byteCount.rawValue ?? 0), and the origin has not sent that much since the baseline: it was "
                + "not fetched in the trial")
    }

    /// Growth that begins with a fall counts from a mark that was no measurement of what there was.
    private func checkBaseline(of report: TrialReport, _ fields: inout FieldChecks) {
        guard report.command == nil, let baseline = report.baseline?.memory, let fetch = report.phases.first else {
            return
        }
        fields.size(
            fetch.peak.resident, "phases[0].peak.resident_bytes",
            from: FieldChecks.Bound(
                max(.zero, baseline.resident - limits.tolerance - fetch.peak.errorBound),
                "baseline.memory.resident_bytes less what is inexact"),
            to: FieldChecks.Bound(limits.memory))
    }

    /// Whether a report has a body that the origin did not send in the trial.
    package func isShortOfSentBytes(_ report: TrialReport) -> Bool {
        guard let asked, asked.sending != .unknown, report.failure == nil, let sent, let body = report.body,
            let start = report.baseline?.memory.timeNanoseconds
        else { return false }
        return sent(start) < (asked.sending == .whole ? body.byteCount.rawValue : min(1, body.byteCount.rawValue))
    }
}
