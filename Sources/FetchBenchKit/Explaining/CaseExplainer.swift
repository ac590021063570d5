// SPDX-License-Identifier: Apache-2.0

import Holders
import MemProbe
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

    /// Who holds the peak of a case, and who held what there was at the mark.
    /// - Parameters:
    ///   - slot: which case, with a number that no other trial has in these surroundings.
    ///   - withStart: whether the mark is explained, too.
    /// - Throws: ``FetchBenchError/notExplainable(subject:reason:)`` with what stands in the way.
    func profiles(
        of slot: Plan.Slot, asset: Asset?, withStart: Bool
    ) async throws -> (peak: HolderProfile, start: HolderProfile?) {
        try checkLinkage(of: slot.cell)
        let plainTrial = try await plain.trial(for: slot, asset: asset).trial
        try check(plainTrial)
        try Task.checkCancellation()
        var second = slot
        second.trial += 1
        let (trial, recordings) = try await recorded.recordedTrial(for: second, asset: asset)
        try check(trial)
        let entry = try entry(of: recordings, for: slot.cell)
        let peak = ProfileBuilder(peak: entry.peak, baseline: entry.baseline).profile(
            of: slot.cell.identifier, allocator: slot.cell.allocator.rawValue,
            explainedPeak: Self.peak(of: trial, entry), plainPeak: Self.plainPeak(of: plainTrial, entry),
            symbols: .runtime)
        return (peak, withStart ? entry.baseline.map { start(of: slot.cell, $0) } : nil)
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
            let words = try? command.words(url: "", file: "", authority: nil)
            path = words?.first.flatMap { try? ExecutableSearch.path(of: $0, environment: surroundings.searchPath) }
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
    private func entry(
        of recordings: Result<[RecordingFolder.Entry], RecordingError>, for cell: Case
    ) throws(FetchBenchError) -> RecordingFolder.Entry {
        let entries: [RecordingFolder.Entry]
        do throws(RecordingError) {
            entries = try recordings.get()
        } catch {
            throw .notExplainable(subject: cell.identifier, reason: error.reason)
        }
        let isCommand = plan.command(of: cell) != nil || surroundings.commands[cell.mode] != nil
        guard let entry = isCommand ? entries.first : entries.first(where: { $0.baseline != nil }) else {
            throw .notExplainable(
                subject: cell.identifier,
                reason: "its program does not tell the recorder where growth begins; build it anew")
        }
        guard !entry.peak.hasOwnMalloc else {
            throw .notExplainable(
                subject: cell.identifier,
                reason: "it brings a malloc of its own, which nothing can be loaded in front of")
        }
        return entry
    }

    /// The kernel's figure of the explained process, without what the recorder holds.
    private static func peak(of trial: Trial, _ entry: RecordingFolder.Entry) -> Int {
        if entry.baseline != nil, let growth = trial.peakResidentGrowth { return growth.rawValue }
        // What the kernel keeps of the peak can lag behind what it counts page by page.
        let highest = max(entry.peak.finalHighWater ?? 0, entry.peak.highWater, entry.peak.resident)
        return highest - entry.peak.ownBytes
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
