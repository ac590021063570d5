// SPDX-License-Identifier: Apache-2.0

import MemProbe
import Profiles
package import Runs
import TrialKit

/// Explains cases: one plain trial, then an extra one with the recorder, which is measured by nobody.
package struct CaseExplainer: Sendable {
    /// How much longer a trial may take in which stacks are walked.
    private static let slowdown = 4.0

    private let plain: SlotRunner
    private let recorded: SlotRunner
    private let plan: Plan
    private let surroundings: TrialSurroundings

    /// Creates one for the cases of a plan.
    package init(_ arm: TrialRecorder.Arm, recorder: RecorderLibrary) throws(FetchBenchError) {
        plan = arm.plan
        surroundings = arm.surroundings
        plain = try SlotRunner(plan: arm.plan, surroundings: arm.surroundings)
        var plan = arm.plan
        plan.settings.timeoutSeconds *= Self.slowdown
        // The recorder's tables are not the program's.
        plan.settings.memoryLimit = plan.settings.memoryLimit.map { $0 + .mebibytes(64) }
        var surroundings = arm.surroundings
        surroundings.recorder = recorder
        recorded = try SlotRunner(plan: plan, surroundings: surroundings)
    }

    /// Who holds the peak of a case.
    /// - Parameters:
    ///   - slot: which case, with a number that no other trial has in these surroundings.
    ///   - side: the side of a comparison: then what there was at the mark is explained, too.
    /// - Throws: ``FetchBenchError/notExplainable(subject:reason:)`` with what stands in the way.
    func explained(
        _ slot: Plan.Slot, asset: Asset?, side: Side?
    ) async throws -> ExplanationRecord.Entry {
        let cell = slot.cell
        try checkLinkage(of: cell)
        let plainTrial = try await plain.trial(for: slot, asset: asset).trial
        // What was cut off is no trial that went wrong.
        try Task.checkCancellation()
        try check(plainTrial)
        var second = slot
        second.trial += 1
        let recorded = try await recorded.recordedTrial(for: second, asset: asset)
        try Task.checkCancellation()
        try check(recorded.trial)
        let entry = try entry(of: recorded, plain: plainTrial)
        let peak = ProfileBuilder(peak: entry.peak, baseline: entry.baseline).profile(
            of: cell.identifier, allocator: cell.allocator.rawValue,
            explainedPeak: Self.peak(of: recorded.trial, entry), plainPeak: Self.plainPeak(of: plainTrial, entry),
            symbols: .runtime)
        return ExplanationRecord.Entry(
            cell: cell.identifier, side: side, profile: peak,
            start: side == nil ? nil : entry.baseline.map { start(of: cell, $0) },
            timeline: ProfileTimeline(recorded, peakNanoseconds: entry.peak.nanoseconds))
    }

    /// What a process held at the mark, all of it: nothing of it is growth.
    private func start(of cell: Case, _ baseline: Recording) -> HolderProfile {
        ProfileBuilder(peak: baseline, baseline: nil).profile(
            of: cell.identifier, allocator: cell.allocator.rawValue,
            explainedPeak: baseline.resident - baseline.ownBytes, plainPeak: nil, symbols: .runtime)
    }

    /// What trials draw by chance follows from the plan's own.
    var seed: UInt64 { plan.seed }

    /// What a case fetches, or `nil` of the null case.
    func asset(of cell: Case) -> Asset? { plan.assets.first { $0.name == cell.asset } }

    private func checkLinkage(of cell: Case) throws(FetchBenchError) {
        let path: String?
        if let command = surroundings.commands[cell.mode] ?? plan.command(of: cell) {
            let words =
                cell.isPlain
                ? try? command.launch(with: CommandParameters.real(cell.parameters, among: surroundings.parameters))
                    .words
                : try? command.words(url: "", file: "", authority: nil)
            path = words?.first.flatMap {
                try? ExecutableSearch.path(
                    of: $0, environment: surroundings.searchPath,
                    in: cell.isPlain ? surroundings.workingDirectory : "/")
            }
        } else {
            path = surroundings.programs.executable(for: cell)?.path
        }
        if let path, let obstacle = ProgramLinkage.obstacle(at: path) {
            throw .notExplainable(subject: cell.identifier, reason: obstacle)
        }
    }

    private func check(_ trial: Trial) throws(FetchBenchError) {
        guard !trial.isCompleted else { return }
        throw .notExplainable(
            subject: trial.cell.identifier, reason: "its trial \(trial.outcome.kind.rawValue): \(trial.outcome.detail)")
    }

    /// The recordings of the process that is explained: of a trial the one that knows its mark, of a command's processes
    /// the one that held most.
    private func entry(of recorded: RecordedTrial, plain: Trial) throws(FetchBenchError) -> RecordingFolder.Entry {
        let subject = plain.cell.identifier
        let entries: [RecordingFolder.Entry]
        do throws(RecordingError) {
            entries = try recorded.recordings.get()
        } catch {
            throw .notExplainable(subject: subject, reason: error.reason)
        }
        let entry: RecordingFolder.Entry
        if let command = recorded.trial.report?.command {
            entry = try Self.entry(of: command, plain: plain, among: entries)
        } else if let first = RecordingFolder.first(of: entries) {
            entry = first
        } else {
            throw .notExplainable(
                subject: subject, reason: "its program does not tell the recorder where growth begins; build it anew")
        }
        guard !entry.peak.hasOwnMalloc else {
            throw .notExplainable(
                subject: subject, reason: "it brings a malloc of its own, which nothing can be loaded in front of")
        }
        return entry
    }

    private static func entry(
        of command: CommandTrace, plain: Trial, among entries: [RecordingFolder.Entry]
    ) throws(FetchBenchError) -> RecordingFolder.Entry {
        do throws(ExplainedProcess.Unrecorded) {
            return try ExplainedProcess(of: entries).entry(
                recorded: command.processes, plain: plain.report?.command?.processes ?? [])
        } catch {
            throw .notExplainable(subject: plain.cell.identifier, reason: error.reason)
        }
    }

    /// The kernel's figure of the explained process, without what the recorder holds.
    private static func peak(of trial: Trial, _ entry: RecordingFolder.Entry) -> Int {
        if entry.baseline != nil, let growth = trial.peakResidentGrowth { return growth.rawValue }
        return entry.peak.highest - entry.peak.ownBytes
    }

    /// The same figure of the trial without the recorder: of a command's processes the one that held most.
    private static func plainPeak(of trial: Trial, _ entry: RecordingFolder.Entry) -> Int? {
        if entry.baseline != nil { return trial.peakResidentGrowth?.rawValue }
        return trial.report?.command?.processes.map(\.peak.resident.rawValue).max()
    }
}

extension RecordingError {
    /// Why there is nothing to be explained.
    var reason: String {
        switch self {
        case .truncated: "what the recorder wrote has no end: the process was killed, or the disk is full"
        case .malformed(let what): "what the recorder wrote cannot be read: \(what)"
        case .unknownVersion(let version): "the recorder speaks version \(version); build everything anew"
        case .missing:
            "the recorder was not loaded: the program is linked statically, runs as another user, or did not end well"
        case .unreadable(let name): "\(name) cannot be read"
        }
    }
}

extension ProfileTimeline {
    /// How many samples a viewer can tell apart.
    private static let sampleLimit = 400

    /// The course of a recorded trial; `nil` where nobody sampled it.
    fileprivate init?(_ recorded: RecordedTrial, peakNanoseconds: Int) {
        guard recorded.trial.report?.command == nil, let start = recorded.series.first?.timeNanoseconds else {
            return nil
        }
        let width = (recorded.series.count + Self.sampleLimit - 1) / Self.sampleLimit
        let highest = stride(from: 0, to: recorded.series.count, by: width).compactMap { first in
            recorded.series[first..<min(first + width, recorded.series.count)].max { $0.resident < $1.resident }
        }
        self.init(
            samples: highest.map {
                Sample(
                    nanoseconds: $0.timeNanoseconds - start, residentBytes: $0.resident.rawValue,
                    anonymousBytes: $0.anonymous.rawValue)
            },
            phases: (recorded.trial.report?.phases ?? []).map {
                Phase(
                    name: $0.phase.rawValue, startNanoseconds: $0.startNanoseconds - start,
                    endNanoseconds: $0.endNanoseconds - start)
            },
            peakNanoseconds: peakNanoseconds - start)
    }
}
