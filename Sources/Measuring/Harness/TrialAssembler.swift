// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Judging
package import Runs

/// Assembles a trial from the answer of its process and the observations of the harness, without I/O.
package struct TrialAssembler: Sendable {
    package let slot: Plan.Slot
    package let asset: Asset?
    package let timeoutSeconds: Double
    package let memoryLimit: ByteCount?
    package var asked: ReportWitness.Asked?
    package var limits = MachineLimits.current
    /// True if a command counts even if it failed with a status or by a signal.
    package var ignoresFailure = false
    /// The reason that the process gave on standard error (see ``LastWords``), without secrets.
    package var complaint = ""
    package var charge: ChargeSeries?
    /// The mark from which a command's growth counts, or the reason that there is none; `nil` for modes and plain commands.
    package var start: Result<Mark, FetchBenchError>?
    /// The bytes that the embedded origin sent meanwhile, in the order of time; `nil` if not recorded.
    package var sent: [SentBytes]?
    /// The version of HTTP that the mode speaks with a foreign server; `nil` if unknown.
    package var foreignVersion: HTTPProtocol?
    /// The length of the body that each request to a server sends; `nil` for none.
    package var sentByteCount: ByteCount?
    package var details: RequestDetails?

    package init(slot: Plan.Slot, asset: Asset?, timeoutSeconds: Double, memoryLimit: ByteCount? = nil) {
        (self.slot, self.asset, self.timeoutSeconds) = (slot, asset, timeoutSeconds)
        self.memoryLimit = memoryLimit
    }

    package func trial(of end: ProcessEnd) -> Trial {
        let witness = witness(of: end)
        let answer = answer(of: end, believedBy: witness)
        // Impossible reports are not stored, so that later code need not doubt their values.
        let report = try? answer.get()
        let body = report?.body
        var trial = Trial(
            number: slot.trial, cell: slot.cell, seed: slot.seed, outcome: outcome(of: end, answer),
            assetByteCount: asset.flatMap {
                $0.isEmbedded ? $0.byteCount ?? body?.byteCount : body?.byteCount ?? $0.byteCount
            } ?? (slot.cell.isServer ? body?.byteCount : nil),
            sentByteCount: sentByteCount ?? details?.body.map { ByteCount($0.byteCount) }, report: report,
            anonymousPeaks: [],
            sampledMaximum: nil, samplesDegraded: false,
            processNanoseconds: end.nanoseconds, doubts: [])
        trial.httpVersion = httpVersion
        trial.charge = charge.flatMap { TrialCharge($0, report: report) }
        if let killed = report?.command?.group?.killCount, killed > trial.charge?.killCount ?? 0 {
            trial.charge?.killCount = killed
        }
        if let killed = killedByLimit(in: trial) { trial.outcome = killed }
        if let command = report?.command {
            // The harness sampled the tracer; the tracer sampled the command.
            trial.anonymousPeaks = [AnonymousPeak(phase: .fetch, sampledMaximum: command.treeMaximum.anonymous)]
        } else {
            describe(end.series, phases: report?.phases ?? [], in: &trial)
        }
        let unknownStart = start.flatMap { count(from: $0, in: &trial) }
        let others = [unknownStart, end.leftBehind.map(TrialDoubts.left)].compactMap(\.self)
        trial.doubts = TrialDoubts.all(of: trial, wasSent: sent?.isEmpty == false) + others
        if trial.isCompleted, let report { trial.doubts += witness.doubts(about: report) }
        return trial
    }

    /// Lets a command's growth count from a mark, or returns the reason that it counts from nothing.
    private func count(from start: Result<Mark, FetchBenchError>, in trial: inout Trial) -> String? {
        let reason: String
        switch start {
        case .failure(let obstacle): reason = "with a body of 1 KiB \(obstacle)"
        case .success where asset?.isEmbedded == true && sent?.isEmpty == true:
            reason = "the origin sent it nothing, so it seems to ignore {url}"
        case .success(let mark):
            trial.report?.baseline = mark
            return nil
        }
        return "\(reason): its growth counts from nothing, and it has no k"
    }

    private var httpVersion: HTTPProtocol? {
        guard let asset, asset.isEmbedded else { return foreignVersion }
        return sent.flatMap { $0.isEmpty ? nil : $0.contains(where: \.isHTTP2) ? .http2 : .http1 }
    }

    /// True if the report has a body that the origin has not (yet) noted as sent.
    func isShortOfSentBytes(of end: ProcessEnd) -> Bool {
        guard end.ending == .exited(0), let report = try? ForeignDocument.decode(TrialReport.self, from: end.output)
        else { return false }
        return witness(of: end).isShortOfSentBytes(report)
    }

    private func witness(of end: ProcessEnd) -> ReportWitness {
        let life = end.spawnedNanoseconds.map { $0...$0 + max(0, end.nanoseconds) }
        let sent = sent.map { sent in
            { @Sendable (start: Int) in
                sent.reduce(0) { sum, piece in piece.time >= start ? sum + piece.count : sum }
            }
        }
        return ReportWitness(asked: asked, life: life, samples: end.series.samples, sent: sent, limits: limits)
    }

    private func answer(
        of end: ProcessEnd, believedBy witness: ReportWitness
    ) -> Result<TrialReport, any Error> {
        Result {
            let report = try ForeignDocument.decode(TrialReport.self, from: end.output)
            if let mistake = witness.mistakes(in: report).first { throw FetchBenchError(mistake.description) }
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

    private func outcome(of end: ProcessEnd, _ answer: Result<TrialReport, any Error>) -> Outcome {
        switch end.ending {
        case .notStarted(let reason):
            return Outcome(.failed, "the trial's program cannot be started: \(reason)")
        case .wroteTooMuch(let limit):
            return Outcome(.failed, "the trial's report has more than \(limit) bytes")
        case .killedOverMemory(let reached):
            return Outcome(.overLimit, TrialMemoryLimit.complaint(reached, over: memoryLimit))
        case .killedAtLimit:
            let hasAnswered = (try? answer.get()) != nil
            return Outcome(
                .timedOut,
                "killed after \(timeoutSeconds) s\(hasAnswered ? " after it had reported" : "")\(end.holding)"
                    + "\(progress); if it needs more time, raise --timeout")
        case .signalled(let signal):
            return Outcome(.crashed, "signal \(signal) (\(signalName(Int32(signal))))\(suffix)")
        case .exited(let status) where status != 0:
            return Outcome(.crashed, "exit status \(status)\(suffix)")
        case .exited: return outcome(ofAnswer: answer)
        }
    }

    /// Returns the outcome of a trial of which the kernel killed a process for a limit, even if another one lives on; `nil`
    /// for others.
    private func killedByLimit(in trial: Trial) -> Outcome? {
        guard let charge = trial.charge, let count = charge.killCount, count > 0 else { return nil }
        let victims = trial.report?.command.map { trace in
            trace.processes.filter { $0.signal == SIGKILL }.map { SafeText.withBytesShown($0.name) }
        }
        let names = (victims ?? []).isEmpty ? "" : " (\((victims ?? []).joined(separator: ", ")))"
        let processes = victims == nil ? "its process" : (count == 1 ? "a process" : "\(count) processes") + names
        let own = slot.cell.conditions.containerLimit.map { "the container limit of \(ByteText.mebibytes($0))" }
        let isOwn = charge.limitHits.map { $0 > 0 } ?? true
        let limit = (isOwn ? own : nil) ?? charge.limitAbove?.words ?? "a limit of the program or of the machine"
        let parts = charge.highest.map { ": \($0.words)" } ?? ""
        return Outcome(.killedByLimit, "the kernel killed \(processes) at \(limit)\(parts)")
    }

    /// Returns what the embedded origin had sent when a trial was killed, in whole MiB, so that trials that hang alike are
    /// reported as one.
    private var progress: String {
        guard asset?.isEmbedded == true, let sent else { return "" }
        let mebibytes = sent.reduce(0) { $0 + $1.count } >> 20
        let size = asset?.byteCount.map { " of \(ByteText.mebibytes($0))" } ?? ""
        return mebibytes > 0
            ? ", after the origin had sent \(mebibytes) MiB\(size)"
            : ", when the origin had sent less than 1 MiB\(size)"
    }

    private func outcome(ofAnswer answer: Result<TrialReport, any Error>) -> Outcome {
        switch answer {
        case .failure(let mistake):
            return Outcome(.failed, "the trial's report is invalid: \(mistake)\(suffix)")
        case .success(let report):
            return report.failure.map { outcome(of: $0) } ?? otherProtocol ?? outcome(of: report)
        }
    }

    private var suffix: String { complaint.isEmpty ? "" : ": \(complaint)" }

    /// Returns a hint if a command failed because it cannot use `ptrace` while it is traced itself.
    private static func remedy(for complaint: String) -> String {
        guard complaint.contains("ptrace") || complaint.contains("LeakSanitizer") else { return "" }
        return
            "; a program that uses ptrace fails while it is traced: set ASAN_OPTIONS=detect_leaks=0 for LeakSanitizer, "
            + "or use `exec --method polled`"
    }

    private func outcome(of failure: TrialReport.Failure) -> Outcome {
        // A command explains its failure on standard error, a mode in its answer.
        let words =
            ["command_", "server_"].contains(where: failure.code.hasPrefix) ? suffix + Self.remedy(for: suffix) : ""
        // libcurl, and URLSession with it, says of a body that cannot be decoded that it cannot be written.
        let encoding = failure.code == FetchFailure.Code.file.rawValue ? asset?.undecodableEncoding : nil
        let code = encoding.map { "Content-Encoding \(SafeText.forTerminal($0)), which libcurl cannot decode" }
        // A command that is measured on its own has no phases of a fetch.
        let place = slot.cell.isOwnCommand ? "" : "\(failure.phase.rawValue): \(code ?? failure.code): "
        let detail = place + failure.detail + words
        if failure.code == CommandTrialRunner.statusCode || failure.code == CommandTrialRunner.signalCode {
            if ignoresFailure { return Outcome(.completed, detail) }
            if slot.cell.isOwnCommand, failure.code == CommandTrialRunner.signalCode {
                return Outcome(.crashed, detail)
            }
        }
        if failure.code == CommandTrialRunner.timeoutCode { return Outcome(.timedOut, detail) }
        if failure.code == CommandTrialRunner.memoryLimitCode { return Outcome(.overLimit, detail) }
        if failure.code == FetchFailure.Code.wrongBody.rawValue { return Outcome(.wrongBody, detail) }
        return Outcome(failure.isRejection ? .rejected : .failed, detail)
    }

    private func outcome(of report: TrialReport) -> Outcome {
        // A plain command may bring its own malloc, unless one was requested.
        let isItsOwn = slot.cell.isPlain && slot.cell.allocator == .glibc
        guard isItsOwn || slot.cell.allocator.isProved(by: report.allocator, isCommand: report.command != nil) else {
            return Outcome(
                .failed,
                "started with \(slot.cell.allocator.rawValue), but the process runs on \(report.allocator.name) "
                    + "\(report.allocator.configuration.isEmpty ? "with its defaults" : "with other settings")")
        }
        // A command without {file} has no body, only an exit status.
        if report.command != nil, report.body == nil { return .completed }
        let outcome = bodyOutcome(of: report.body)
        return outcome == .completed ? recordsOutcome(of: report) : outcome
    }

    private func recordsOutcome(of report: TrialReport) -> Outcome {
        guard let found = report.recordCount, let ofOne = asset?.recordCount else { return .completed }
        let expected = ofOne * slot.cell.conditions.concurrency
        guard found != expected else { return .completed }
        return Outcome(.wrongBody, "\(found) records decoded instead of \(expected)")
    }

    /// The failure of a trial that was sent something over HTTP/1.1, although HTTP/2 was asked for.
    private var otherProtocol: Outcome? {
        guard slot.cell.conditions.http == .http2, asset?.isEmbedded == true, let sent,
            sent.contains(where: { !$0.isHTTP2 })
        else { return nil }
        return Outcome(.failed, "requested HTTP/2, but the origin was reached over HTTP/1.1")
    }

    private func bodyOutcome(of body: BodyReading?) -> Outcome {
        guard let asset else { return .completed }
        // A scenario of many bodies verifies each of them itself.
        if body == nil, slot.cell.conditions.scenario != .none { return .completed }
        guard let body else { return Outcome(.failed, "no body was reported") }
        if body.byteCount == .zero, details?.allowsEmptyAnswer != true {
            let code = FetchFailure.Code.emptyBody.rawValue
            return Outcome(.failed, "\(code): the answer to a GET is empty; expected a body")
        }
        return asset.difference(of: body, ofCommand: asked?.isCommand == true).map { Outcome(.wrongBody, $0) }
            ?? .completed
    }

    /// Raises the peaks to the highest exact reading: the kernel's mark or a sample of the harness.
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

    /// A part of a phase without samples, although more than five were due.
    package struct SamplingGap: Hashable, Sendable {
        /// The last reading before the gap, in nanoseconds of `CLOCK_MONOTONIC`.
        package var start: Int
        package var end: Int
        /// The file-backed memory during the gap: the lower of both readings.
        package var shared: ByteCount

        package init(start: Int, end: Int, shared: ByteCount) {
            (self.start, self.end, self.shared) = (start, end, shared)
        }

        private static let tolerated = 5

        /// Finds the gaps of a phase; its marks count as readings, so that without samples the whole phase is a gap.
        ///
        /// The samples are those of the whole trial, ordered by time.
        package static func gaps(
            in reading: PhaseReading, samples: [Sample], schedule: SamplingSchedule = .standard
        ) -> [SamplingGap] {
            let range = reading.startNanoseconds...reading.endNanoseconds
            var readings: [(time: Int, shared: ByteCount)] = [(range.lowerBound, reading.startShared)]
            for sample in samples where range.contains(sample.timeNanoseconds) {
                readings.append((sample.timeNanoseconds, sample.shared))
            }
            readings.append((range.upperBound, reading.end.memory.resident - reading.end.memory.anonymous))
            let start = samples.first?.timeNanoseconds ?? range.lowerBound
            return zip(readings, readings.dropFirst()).compactMap { earlier, later in
                // The sampler's clock starts a little before its first sample, so that the last sample before the schedule
                // slows down may seem to lie in its fast part.
                let interval = max(
                    schedule.interval(at: max(0, earlier.time - start)),
                    schedule.interval(at: max(0, later.time - start)))
                guard later.time - earlier.time > tolerated * interval else { return nil }
                return SamplingGap(
                    start: earlier.time, end: later.time, shared: min(earlier.shared, later.shared))
            }
        }
    }
}

extension ProcessEnd {
    /// The memory held when it was killed, in whole MiB, so that trials that hang alike are reported as one.
    fileprivate var holding: String {
        // The last sample may show a process that is being torn down.
        guard let held = series.samples.suffix(3).map(\.resident).max() else { return "" }
        return ", when it held \((held.rawValue + (1 << 19)) >> 20) MiB"
    }
}

extension AnonymousPeak {
    /// The highest anonymous memory of a phase, with bounds derived from its peak.
    ///
    /// If file-backed memory F only grew in the phase, peak − F at its end ≤ anonymous peak ≤ peak − F at its start. If
    /// it fell, file pages were released in between and the peak bounds nothing. Between two readings F is assumed to
    /// be at least the lower one, so that a gap hides at most peak − F there.
    package init(_ reading: PhaseReading, samples: [Sample]) {
        let range = reading.startNanoseconds...reading.endNanoseconds
        let inside = samples.filter { range.contains($0.timeNanoseconds) }
        let sampled = inside.map(\.anonymous).max() ?? .zero
        let endShared = reading.end.memory.resident - reading.end.memory.anonymous
        let highestShared = inside.map(\.shared).max() ?? .zero
        let onlyGrew = endShared >= reading.startShared && endShared >= highestShared
        let gaps = TrialAssembler.SamplingGap.gaps(in: reading, samples: samples)
        self.init(
            phase: reading.phase, sampledMaximum: max(sampled, reading.end.memory.anonymous),
            lowerBound: onlyGrew ? reading.peak.resident - endShared : nil,
            upperBound: onlyGrew ? reading.peak.resident - reading.startShared : nil,
            gapBound: gaps.map { reading.peak.resident - $0.shared }.max())
    }
}
