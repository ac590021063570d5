// SPDX-License-Identifier: Apache-2.0

package import Runs

package enum TrialDoubts {
    /// - Parameter wasSent: True if the origin noted that it sent something meanwhile.
    package static func all(of trial: Trial, wasSent: Bool = false) -> [String] {
        guard trial.isCompleted else { return [] }
        return [
            sampledAbovePeak(trial), allocatorAboveResident(trial), inexactReadings(trial), undecided(trial),
            unread(trial), lateSamples(trial), withoutNet(trial), outlived(trial), wasSent ? nil : unverified(trial),
            outsideGroup(trial),
        ].compactMap(\.self)
    }

    /// Returns those that follow from what a program can read, the same in each of its trials.
    package static func ofReadings(in trial: Trial) -> [String] {
        [inexactReadings(trial), withoutNet(trial)].compactMap(\.self)
    }

    private static func sampledAbovePeak(_ trial: Trial) -> String? {
        let peaks = Phase.peaking.compactMap { trial.reading(of: $0)?.peak }
        guard let sampled = trial.sampledMaximum, let peak = peaks.map(\.resident).max(),
            let bound = peaks.map(\.errorBound).max(), sampled > peak + bound
        else { return nil }
        return "a sample of \(sampled.rawValue) bytes lies above the peak of \(peak.rawValue) and its bound"
    }

    private static func allocatorAboveResident(_ trial: Trial) -> String? {
        for reading in trial.report?.phases ?? [] {
            guard let active = reading.end.allocator?.active else { continue }
            if active > reading.end.memory.resident + reading.peak.errorBound {
                return "the allocator counts \(active.rawValue) active bytes at the end of \(reading.phase.rawValue), "
                    + "more than the \(reading.end.memory.resident.rawValue) that are resident"
            }
        }
        return nil
    }

    private static func inexactReadings(_ trial: Trial) -> String? {
        if let command = trial.report?.command {
            guard command.method == .polled else { return hugePages(command) }
            return
                "the command's peak was polled, not read at its end: \(command.methodReason ?? "tracing was refused")"
        }
        guard trial.peakSource != .highWaterMark, let source = trial.peakSource else { return nil }
        return "the peak comes from \(source.rawValue), because the kernel's high-water mark could not be reset"
            + (source == .exactReadings ? ", or excludes memory in a huge page pool" : "")
    }

    private static func hugePages(_ command: CommandTrace) -> String? {
        guard let most = command.processes.compactMap(\.hugetlb).max() else { return nil }
        return
            "up to \(ByteText.mebibytes(most)) of a process are in a huge page pool, which the kernel's high-water mark "
            + "excludes: they are sampled, and the peak may be up to "
            + "\(ByteText.mebibytes(command.peak.errorBound)) higher"
    }

    private static func undecided(_ trial: Trial) -> String? {
        trial.report?.command?.undecided.map(CommandTrace.doubt)
    }

    private static func unread(_ trial: Trial) -> String? {
        trial.report?.command?.unreadReason.map {
            "some processes could not be read and may be missing from figures: \($0)"
        }
    }

    /// Returns a warning that other metrics replace the net peak.
    private static func withoutNet(_ trial: Trial) -> String? {
        guard trial.netPeak == nil, trial.peakResidentGrowth != nil else { return nil }
        return trial.report?.command == nil
            ? "program pages could not be read: growth with program pages and anonymous memory are judged instead"
            : "program pages could not be read and are part of the peak: only anonymous memory is judged"
    }

    private static func outlived(_ trial: Trial) -> String? {
        let names = trial.report?.command?.outlived ?? []
        guard !names.isEmpty else { return nil }
        return "outlived the command and was killed; what it held later is not counted (--wait-for-children): "
            + names.joined(separator: ", ")
    }

    /// Returns the warning about processes left running by a trial, whatever its outcome.
    package static func left(_ others: Survivors) -> String {
        "it left \(others.text) running, which were killed 200 ms later: their memory is in no figure"
    }

    /// Returns the warning that a trial's control group was not charged for all that its processes held.
    package static func outsideGroup(_ trial: Trial) -> String? {
        guard let group = trial.report?.command?.group, let charge = trial.charge else { return nil }
        if let name = group.left {
            return
                "\(SafeText.withBytesShown(name)) left the control group of the trial, so that neither its charge nor a "
                + "limit has what that process held"
        }
        // The kernel charges in batches.
        guard let held = group.mostHeld, held > charge.peak.total + .mebibytes(1) else { return nil }
        return "a process held \(ByteText.mebibytes(held)), and the control group of the trial was charged "
            + "\(ByteText.mebibytes(charge.peak.total)): the rest was there before or belongs to another one, such as shared "
            + "memory that outlives a trial (--prepare can remove it)"
    }

    private static func unverified(_ trial: Trial) -> String? {
        guard trial.report?.command != nil, trial.report?.body == nil, !trial.cell.isOwnCommand else { return nil }
        return "nothing shows that the command fetched anything: it has no {file} to be verified"
    }

    private static func lateSamples(_ trial: Trial) -> String? {
        looseness(of: trial).map(lateSamples(within:))
    }

    static func lateSamples(within uncertainty: ByteCount) -> String {
        "samples were late or lost: the anonymous peak may be up to \(ByteText.mebibytes(uncertainty)) higher"
    }

    /// Returns the uncertainty due to late samples if it deserves a warning.
    static func looseness(of trial: Trial) -> ByteCount? {
        guard let uncertainty = trial.anonymousPeakUncertainty,
            let peak = trial.anonymousPeaks.filter({ Phase.peaking.contains($0.phase) }).map(\.proven).max()
        else { return nil }
        return isLoose(uncertainty, for: peak) ? uncertainty : nil
    }

    /// True if an uncertainty deserves a warning: more than 1 % of the peak and than 256 KiB.
    package static func isLoose(_ uncertainty: ByteCount, for peak: ByteCount) -> Bool {
        uncertainty > max(ByteCount(peak.rawValue / 100), .kibibytes(256))
    }
}

/// The warnings that follow from a run's trials and its machine.
package enum RunDoubts {
    package static func all(of run: RunRecord) -> [RunWarning] {
        machine(run.environment) + ServerDoubts.all(of: run) + failures(of: run) + trialDoubts(of: run.trials)
            + (run.kind.isPaired ? [] : growthWhileHeld(in: run)) + busyWhileWaiting(in: run) + unlikeProtocols(in: run)
    }

    private static func machine(_ environment: MachineEnvironment) -> [RunWarning] {
        var warnings: [RunWarning] = []
        if !environment.canResetPeak {
            warnings.append(
                RunWarning(
                    "the kernel's high-water mark cannot be reset here, so peaks of later phases may be sampled only",
                    remedy: "run where /proc/PID/clear_refs is writable; see `fetchbench doctor`"))
        }
        if environment.exactness != "exact" {
            warnings.append(
                RunWarning(
                    "readings of statm are \(environment.exactness) here (Linux before 6.16 batches them), and so is "
                        + "anonymous memory"))
        }
        if let files = environment.fileSystemInMemory {
            warnings.append(
                RunWarning(
                    "trials fetched to \(files), where a file is memory",
                    remedy: "set TMPDIR, and any other destination, to a folder on a disk"))
        }
        if environment.buildConfiguration != "release" {
            warnings.append(
                RunWarning("fetchbench is a debug build", remedy: "build with `swift build -c release`"))
        }
        return warnings
    }

    package static func failures(of run: RunRecord, where isIncluded: (Case) -> Bool = { _ in true }) -> [RunWarning] {
        let failed = Dictionary(grouping: run.trials.filter { !$0.isCompleted }, by: \.cell)
        return run.plan.cases.filter(isIncluded).flatMap { cell -> [RunWarning] in
            let causes = Dictionary(grouping: failed[cell] ?? [], by: \.outcome.cause)
            return causes.sorted { $0.key < $1.key }.compactMap { _, trials in
                guard let outcome = trials.first?.outcome else { return nil }
                let differ = Set(trials.map(\.outcome.detail)).count > 1
                return RunWarning(
                    "\(cell.identifier): \(trials.count) of \(planned(of: run, cell)) trials \(outcome.kind.rawValue)"
                        + (outcome.detail.isEmpty ? "" : " (\(differ ? "first: " : "")\(outcome.detail))"))
            }
        }
    }

    private static func planned(of run: RunRecord, _ cell: Case) -> Int {
        run.kind.isPaired ? run.trials.count { $0.cell == cell } : run.plan.trials
    }

    static func trialDoubts(of judged: [Trial]) -> [RunWarning] {
        var order: [String] = []
        var trials: [String: [Trial]] = [:]
        for trial in judged {
            for doubt in trial.doubts where !isOfLateSamples(doubt, trial) {
                if trials[doubt] == nil { order.append(doubt) }
                trials[doubt, default: []].append(trial)
            }
        }
        return order.compactMap { doubt in warning(of: trials[doubt] ?? [], doubt) } + lateSamples(in: judged)
    }

    /// Returns one warning for all late samples, with the largest uncertainty, as each trial has a different one.
    private static func lateSamples(in judged: [Trial]) -> [RunWarning] {
        let late = judged.filter { trial in trial.doubts.contains { isOfLateSamples($0, trial) } }
        guard let largest = late.compactMap({ TrialDoubts.looseness(of: $0) }).max() else { return [] }
        guard var warning = warning(of: late, TrialDoubts.lateSamples(within: largest)) else { return [] }
        warning.remedy = "reduce other load, or run with CAP_SYS_NICE (real-time sampling threads)"
        return [warning]
    }

    private static func isOfLateSamples(_ doubt: String, _ trial: Trial) -> Bool {
        TrialDoubts.looseness(of: trial).map { TrialDoubts.lateSamples(within: $0) } == doubt
    }

    private static func warning(of trials: [Trial], _ doubt: String) -> RunWarning? {
        guard let first = trials.first else { return nil }
        let place = "trial \(first.number) (\(first.cell.identifier))"
        return RunWarning(
            trials.count == 1 ? "\(place): \(doubt)" : "\(trials.count) trials, the first \(place): \(doubt)")
    }

    /// Returns a warning if rows of a foreign URL differ by the version of HTTP, too.
    private static func unlikeProtocols(in run: RunRecord) -> [RunWarning] {
        let trials = run.trials.filter { $0.isCompleted && run.plan.asset(of: $0.cell)?.scheme != nil }
        let words = [HTTPProtocol.http2, .http1].compactMap { version -> String? in
            let modes = Set(trials.filter { $0.httpVersion == version }.map(\.cell.mode)).sorted()
            return modes.isEmpty ? nil : "HTTP/\(version.rawValue) by \(modes.joined(separator: ", "))"
        }
        guard words.count > 1 else { return [] }
        return [
            RunWarning(
                "the URL was fetched over \(words.joined(separator: " and over ")), and the protocol changes what a fetch costs",
                remedy: "compare rows of one version; --http 1.1 keeps all modes to it but those of URLSession")
        ]
    }

    /// Returns warnings about cases that used a processor while the embedded origin made them wait.
    private static func busyWhileWaiting(in run: RunRecord) -> [RunWarning] {
        let byCase = run.trialsByCase
        return run.plan.fetchingCases.compactMap { cell in
            guard cell.conditions.scenario == .none, let asset = run.plan.asset(of: cell), asset.isEmbedded,
                let size = asset.byteCount, let trials = byCase[cell],
                let used = Metric.cpu(of: .fetch).distribution(over: trials)?.median,
                let time = Metric.duration(of: .fetch).distribution(over: trials)?.median
            else { return nil }
            let concurrency = cell.conditions.concurrency
            let work = Double(size.rawValue * concurrency) * nanosecondsForAByte
            guard used - work >= busyShare * time,
                run.plan.settings.waits(for: size, concurrency: concurrency, within: time)
            else { return nil }
            return RunWarning(
                "\(cell.identifier): the fetch used \(ByteText.fixed(used / time, places: 2)) s of processor for each second in "
                    + "which the origin made it wait",
                remedy: "see docs/waiting.md: a URLSession is busy while it waits, unless a connection is open already")
        }
    }

    /// The time for moving and hashing a byte, at most: work, and no wait.
    private static let nanosecondsForAByte = 1.0
    /// Above what is left of a transfer's time besides that work, and below what a client takes that spins.
    private static let busyShare = 0.4

    /// Returns warnings about background work: holding a body takes no more memory.
    private static func growthWhileHeld(in run: RunRecord) -> [RunWarning] {
        let byCase = run.trialsByCase
        return run.plan.cases.compactMap { cell in
            let growth = Metric("held_growth_bytes", short: "held", .bytes, "growth while held") { trial in
                guard let fetch = trial.reading(of: .fetch), let hold = trial.reading(of: .hold) else { return nil }
                return Double((hold.peak.resident - fetch.end.memory.resident).rawValue)
            }
            guard let median = byCase[cell].flatMap(growth.distribution)?.median, median > 1_048_576 else { return nil }
            return RunWarning(
                "\(cell.identifier): resident memory grew by \(ByteText.mebibytes(median)) while the body was merely held"
            )
        }
    }

    /// The warnings about the server of a foreign URL: what it does is no fault of a mode.
    package enum ServerDoubts {
        package static func all(of run: RunRecord) -> [RunWarning] {
            run.plan.assets.flatMap { asset -> [RunWarning] in
                guard let reference = asset.reference, let body = reference.identity else { return [] }
                return [
                    changing(reference, body, run), encoded(reference, body), unwarmed(reference),
                    agreed(on: asset, in: run),
                ].compactMap(\.self)
            }
        }

        private static func changing(
            _ reference: ReferenceReport, _ body: ReferenceReport.Body, _ run: RunRecord
        ) -> RunWarning? {
            guard !reference.others.isEmpty else { return nil }
            let sizes = Set(reference.others.map(\.contentByteCount)).sorted().map { "\($0)" }.joined(separator: ", ")
            guard reference.isChanging else {
                return RunWarning(
                    "the server first sent another body (\(sizes) bytes), then twice the one of \(body.contentByteCount) bytes "
                        + "with which trials are compared: a login page, or an asset that changed")
            }
            let isOfOneLength = Set((reference.others + [body]).map(\.contentByteCount)).count == 1
            return RunWarning(
                "the server sends another body each time (\(reference.others.count + 1) answers, none like the one before): "
                    + "no trial's body can be compared" + (isOfOneLength ? ", but for its length" : ""),
                remedy: isOfOneLength && run.plan.settings.verification == .sha256 ? "use --verify length" : nil)
        }

        private static func encoded(_ reference: ReferenceReport, _ body: ReferenceReport.Body) -> RunWarning? {
            let transfer = reference.transferEncoding.map { "Transfer-Encoding: \($0)" }
            guard let encoding = body.encoding ?? transfer else { return nil }
            let sizes =
                body.decodedByteCount.map { ": \(body.byteCount) bytes, and \($0) to clients that decode it" } ?? ""
            return RunWarning(
                "the server sent \(SafeText.forTerminal(encoding)) although it was not requested\(sizes)"
            )
        }

        private static func unwarmed(_ reference: ReferenceReport) -> RunWarning? {
            guard let obstacle = reference.headObstacle else { return nil }
            return RunWarning(
                "no HEAD warms the connection to the server (\(SafeText.forTerminal(obstacle))): each fetch includes its first one"
            )
        }

        /// Bodies that are like each other, and not like the reference.
        private static func agreed(on asset: Asset, in run: RunRecord) -> RunWarning? {
            let wrong = run.trials.filter { $0.cell.asset == asset.name && $0.outcome.kind == .wrongBody }
            let found = wrong.compactMap { $0.report?.body?.sha256 }
            guard found.count > 1, Set(found).count == 1 else { return nil }
            let reason =
                asset.reference?.identity?.encoding == nil && asset.reference?.transferEncoding == nil
                ? "it has changed meanwhile, or these clients are sent another one"
                : "these clients decode it differently"
            return RunWarning(
                "\(found.count) trials got the same body, and not the one that the server sent before the run: \(reason)"
            )
        }
    }
}

extension TrialSettings {
    /// True if fetches of this size took as long as the pace and the latency of the origin say, and little longer: an
    /// upload is not paced, and its answer comes after the latency.
    fileprivate func waits(for size: ByteCount, concurrency: Int, within nanoseconds: Double) -> Bool {
        let latency = Double(latencyNanoseconds ?? 0)
        var waits = [latency]
        if let rate = TransferRate(parsing: rate), let pace = rate.bytesPerSecond {
            let sharing = rate == .shared(pace) ? concurrency : 1
            waits.append(latency + Double(size.rawValue * sharing) / Double(pace.rawValue) * 1e9)
        }
        return waits.contains { $0 >= 1e8 && nanoseconds >= 0.95 * $0 && nanoseconds <= 1.5 * $0 }
    }
}

extension CommandTrace {
    /// Returns the warning about processes that may share their parent's memory.
    package static func doubt(of undecided: ByteCount) -> String {
        "could not determine whether some processes share their parent's memory: they are not counted, and up to "
            + "\(ByteText.mebibytes(undecided)) may be missing (the kernel refuses kcmp; in a container allow SYS_PTRACE)"
    }
}
