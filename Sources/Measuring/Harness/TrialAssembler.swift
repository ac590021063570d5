// SPDX-License-Identifier: Apache-2.0

import Foundation
import Judging
package import MemProbe
import OperatingSystem
package import Runs
import Texts
package import TrialKit

/// Makes the stored trial of what the process answered and what the harness saw: arithmetic on values.
package struct TrialAssembler: Sendable {
    package let slot: Plan.Slot
    package let asset: Asset?
    package let timeoutSeconds: Double
    package let memoryLimit: ByteCount?
    /// What the report has to answer; `nil` where that is not known.
    package var asked: ReportWitness.Asked?
    /// What the machine has.
    package var limits = MachineLimits.current
    /// Whether a command counts that ended with a status or by a signal.
    package var ignoresFailure = false

    package init(slot: Plan.Slot, asset: Asset?, timeoutSeconds: Double, memoryLimit: ByteCount? = nil) {
        self.slot = slot
        self.asset = asset
        self.timeoutSeconds = timeoutSeconds
        self.memoryLimit = memoryLimit
    }

    package func trial(of end: ProcessEnd) -> Trial {
        let witness = witness(of: end)
        let answer = answer(of: end, believedBy: witness)
        // What cannot be is not stored: nothing behind this point has to doubt a figure.
        let report = try? answer.get()
        let body = report?.body
        var trial = Trial(
            number: slot.trial, cell: slot.cell, seed: slot.seed, outcome: outcome(of: end, answer),
            assetByteCount: asset.flatMap { $0.byteCount ?? body?.byteCount }, report: report, anonymousPeaks: [],
            sampledMaximum: nil, samplesDegraded: false,
            processNanoseconds: end.nanoseconds, doubts: [])
        if let command = report?.command {
            // The harness sampled the process that traces; the tracer sampled the command.
            trial.anonymousPeaks = [AnonymousPeak(phase: .fetch, sampledMaximum: command.treeMaximum.anonymous)]
        } else {
            describe(end.series, phases: report?.phases ?? [], in: &trial)
        }
        trial.doubts = TrialDoubts.all(of: trial) + [end.leftBehind].compactMap(\.self).map(TrialDoubts.left)
        if trial.isCompleted, let report { trial.doubts += witness.doubts(about: report) }
        return trial
    }

    /// Whether a body is reported that the origin, as far as it has noted, did not send.
    func isShortOfSentBytes(of end: ProcessEnd, sent: [SentBytes]) -> Bool {
        guard end.ending == .exited(0), let report = try? ForeignDocument.decode(TrialReport.self, from: end.output)
        else { return false }
        var end = end
        end.sent = sent
        return witness(of: end).isShortOfSentBytes(report)
    }

    private func witness(of end: ProcessEnd) -> ReportWitness {
        let life = end.spawnedNanoseconds.map { $0...$0 + max(0, end.nanoseconds) }
        let sent = end.sent.map { sent in
            { @Sendable (start: Int) in
                sent.reduce(0) { sum, piece in piece.time >= start ? sum + piece.count : sum }
            }
        }
        return ReportWitness(asked: asked, life: life, samples: end.series.samples, sent: sent, limits: limits)
    }

    /// The report, or why there is none that can be used.
    private func answer(
        of end: ProcessEnd, believedBy witness: ReportWitness
    ) -> Result<TrialReport, DocumentMistake> {
        Result { () throws(DocumentMistake) in
            let report = try ForeignDocument.decode(TrialReport.self, from: end.output)
            if let mistake = witness.mistakes(in: report).first { throw mistake }
            return report
        }
    }

    private func describe(_ series: SampleSeries, phases: [PhaseReading], in trial: inout Trial) {
        trial.anonymousPeaks = phases.map { AnonymousPeak($0, samples: series.samples) }
        if trial.report?.exactness == "exact" { raisePeaks(in: &trial, to: series.samples) }
        trial.sampledMaximum = measuredSamples(of: series, in: phases).map(\.resident).max()
        trial.samplesDegraded =
            series.dropped > 0
            || trial.anonymousPeaks.contains { Phase.peaking.contains($0.phase) && $0.gapBound != nil }
    }

    private func outcome(of end: ProcessEnd, _ answer: Result<TrialReport, DocumentMistake>) -> Outcome {
        switch end.ending {
        case .notStarted(let reason):
            return Outcome(.failed, "the trial's program cannot be started: \(reason)")
        case .wroteTooMuch(let limit):
            return Outcome(.failed, "the trial's answer has more than \(limit) bytes")
        case .killedOverMemory(let reached):
            return Outcome(.overLimit, MemoryLimit.complaint(reached, over: memoryLimit))
        case .killedAtLimit:
            let hasAnswered = (try? answer.get()) != nil
            return Outcome(
                .timedOut,
                "killed after \(timeoutSeconds) s\(hasAnswered ? " after it had answered" : "")\(end.holding)")
        case .signalled(let signal):
            return Outcome(.crashed, "signal \(signal) (\(SignalName.text(of: Int32(signal))))\(end.suffix)")
        case .exited(let status) where status != 0:
            return Outcome(.crashed, "exit status \(status)\(end.suffix)")
        case .exited: return outcome(ofAnswer: answer, end)
        }
    }

    private func outcome(ofAnswer answer: Result<TrialReport, DocumentMistake>, _ end: ProcessEnd) -> Outcome {
        switch answer {
        case .failure(let mistake):
            return Outcome(.failed, "the trial's report is invalid: \(mistake)\(end.suffix)")
        case .success(let report):
            if let failure = report.failure { return outcome(of: failure, lastWords: end.suffix) }
            return outcome(of: report)
        }
    }

    private func outcome(of failure: TrialReport.Failure, lastWords: String) -> Outcome {
        // A command says on standard error what went wrong; a mode has said it in its answer.
        let words = failure.code.hasPrefix("command_") ? lastWords : ""
        // A plain command has no phases of a fetch.
        let place = slot.cell.isPlain ? "" : "\(failure.phase.rawValue): \(failure.code): "
        let detail = place + failure.detail + words
        if failure.code == CommandTrialRunner.statusCode || failure.code == CommandTrialRunner.signalCode {
            if ignoresFailure { return Outcome(.completed, detail) }
            if slot.cell.isPlain, failure.code == CommandTrialRunner.signalCode { return Outcome(.crashed, detail) }
        }
        if failure.code == CommandTrialRunner.timeoutCode { return Outcome(.timedOut, detail) }
        if failure.code == CommandTrialRunner.memoryLimitCode { return Outcome(.overLimit, detail) }
        if failure.code == FetchFailure.Code.wrongBody.rawValue { return Outcome(.wrongBody, detail) }
        return Outcome(failure.isRejection ? .rejected : .failed, detail)
    }

    private func outcome(of report: TrialReport) -> Outcome {
        // Which malloc a plain command brings is its own affair, unless one was asked for.
        let isItsOwn = slot.cell.isPlain && slot.cell.allocator == .glibc
        guard isItsOwn || slot.cell.allocator.isProved(by: report.allocator, isCommand: report.command != nil) else {
            return Outcome(
                .failed,
                "asked for \(slot.cell.allocator.rawValue), the process runs on \(report.allocator.name) "
                    + "\(report.allocator.configuration.isEmpty ? "as it is" : "with settings of its own")")
        }
        // A command without {file} shows its exit status alone.
        if report.command != nil, report.body == nil { return .completed }
        return bodyOutcome(of: report.body)
    }

    private func bodyOutcome(of body: BodyReading?) -> Outcome {
        guard let asset else { return .completed }
        // A scenario of many bodies verifies each of them itself, and fails where one is wrong.
        if body == nil, slot.cell.conditions.scenario != .none { return .completed }
        guard let body else { return Outcome(.failed, "no body was reported") }
        if let expected = asset.byteCount, body.byteCount != expected {
            return Outcome(.wrongBody, "\(body.byteCount.rawValue) bytes instead of \(expected.rawValue)")
        }
        if let expected = asset.sha256, let found = body.sha256, found != expected {
            return Outcome(.wrongBody, "SHA-256 \(found.prefix(16))… instead of \(expected.prefix(16))…")
        }
        return .completed
    }

    /// The peak of record is the highest of the kernel's mark and of every exact reading, the harness's samples among them.
    private func raisePeaks(in trial: inout Trial, to samples: [Sample]) {
        let phases = trial.report?.phases ?? []
        trial.report?.phases = phases.map { reading in
            var reading = reading
            let inside = samples.lazy.filter {
                (reading.startNanoseconds...reading.endNanoseconds).contains($0.timeNanoseconds)
            }
            reading.peak.resident = max(reading.peak.resident, inside.map(\.resident).max() ?? .zero)
            return reading
        }
    }

    /// The samples from the start of `fetch` to the end of `render`.
    private func measuredSamples(of series: SampleSeries, in phases: [PhaseReading]) -> [Sample] {
        let peaking = phases.filter { Phase.peaking.contains($0.phase) }
        guard let start = peaking.first?.startNanoseconds, let end = peaking.last?.endNanoseconds else { return [] }
        return series.samples.filter { (start...end).contains($0.timeNanoseconds) }
    }
}

extension ProcessEnd {
    /// What it held when it was killed, in whole MiB, so that trials that hang alike are told as one.
    fileprivate var holding: String {
        // The very last sample may be of a process that is being taken apart.
        guard let held = series.samples.suffix(3).map(\.resident).max() else { return "" }
        return ", when it held \((held.rawValue + (1 << 19)) >> 20) MiB"
    }

    /// The process's last words as the end of a sentence.
    fileprivate var suffix: String {
        complaint.isEmpty ? "" : ": \(complaint)"
    }
}

extension AnonymousPeak {
    /// The highest anonymous memory of a phase, with the bounds that its peak gives.
    ///
    /// Where file-backed memory F only grew in the phase, peak − F at its end ≤ anonymous peak ≤ peak − F at its
    /// start. Where it fell, pages of a file were let go in between and the peak bounds nothing. Between two readings
    /// F is taken to have been no lower than in the lower one, so that a gap hides no more than peak − F there.
    package init(_ reading: PhaseReading, samples: [Sample]) {
        let range = reading.startNanoseconds...reading.endNanoseconds
        let inside = samples.filter { range.contains($0.timeNanoseconds) }
        let sampled = inside.map(\.anonymous).max() ?? .zero
        let endShared = reading.end.memory.resident - reading.end.memory.anonymous
        let highestShared = inside.map(\.shared).max() ?? .zero
        let onlyGrew = endShared >= reading.startShared && endShared >= highestShared
        let gaps = SamplingGap.gaps(in: reading, samples: samples)
        self.init(
            phase: reading.phase, sampledMaximum: max(sampled, reading.end.memory.anonymous),
            lowerBound: onlyGrew ? reading.peak.resident - endShared : nil,
            upperBound: onlyGrew ? reading.peak.resident - reading.startShared : nil,
            gapBound: gaps.map { reading.peak.resident - $0.shared }.max())
    }
}
