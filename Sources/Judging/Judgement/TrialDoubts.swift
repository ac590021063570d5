// SPDX-License-Identifier: Apache-2.0

package import MemProbe
import OperatingSystem
package import Runs
import Texts
import TrialKit

/// The consistency checks on each trial's figures.
package enum TrialDoubts {
    /// Returns a description of each failed check.
    package static func all(of trial: Trial) -> [String] {
        guard trial.isCompleted else { return [] }
        return [
            sampledAbovePeak(trial), allocatorAboveResident(trial), inexactReadings(trial), undecided(trial),
            unread(trial), lateSamples(trial), withoutNet(trial), outlived(trial), unverified(trial),
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
    package static func left(_ others: LeftBehind) -> String {
        "it left \(others.text) running, which were killed 200 ms later: their memory is in no figure"
    }

    private static func unverified(_ trial: Trial) -> String? {
        guard trial.report?.command != nil, trial.report?.body == nil, !trial.cell.isPlain else { return nil }
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
