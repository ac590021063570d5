// SPDX-License-Identifier: Apache-2.0

import MemProbe
package import Runs
import Statistics
import Texts
import TrialKit

/// The warnings that follow from a run's trials and its machine.
package enum RunDoubts {
    package static func all(of run: RunRecord) -> [RunWarning] {
        machine(run.environment) + ServerDoubts.all(of: run) + failures(of: run) + trialDoubts(of: run.trials)
            + (run.kind.isPaired ? [] : growthWhileHeld(in: run))
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
        if FileSystem.isMemory(environment.temporaryFileSystem) {
            warnings.append(
                RunWarning(
                    "trials fetched to \(environment.temporaryFileSystem), where a file is memory",
                    remedy: "set TMPDIR to a folder on a disk"))
        }
        if environment.buildConfiguration != "release" {
            warnings.append(
                RunWarning("fetchbench is a debug build", remedy: "build with `swift build -c release`"))
        }
        return warnings
    }

    /// Returns one warning for each cause of failure of a case.
    package static func failures(of run: RunRecord, where isIncluded: (Case) -> Bool = { _ in true }) -> [RunWarning] {
        run.plan.cases.filter(isIncluded).flatMap { cell -> [RunWarning] in
            let failed = run.trials(of: cell).filter { !$0.isCompleted }
            let causes = Dictionary(grouping: failed, by: \.outcome.cause)
            return causes.sorted { $0.key < $1.key }.compactMap { _, trials in
                guard let outcome = trials.first?.outcome else { return nil }
                let differ = Set(trials.map(\.outcome.detail)).count > 1
                return RunWarning(
                    "\(cell.identifier): \(trials.count) of \(planned(of: run, cell)) trials \(outcome.kind.rawValue)"
                        + (outcome.detail.isEmpty ? "" : " (\(differ ? "first: " : "")\(outcome.detail))"))
            }
        }
    }

    /// Returns the planned number of trials of a case; of pairs, the measured number.
    private static func planned(of run: RunRecord, _ cell: Case) -> Int {
        run.kind.isPaired ? run.trials(of: cell).count : run.plan.trials
    }

    /// Returns one warning for each distinct doubt.
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
}
