// SPDX-License-Identifier: Apache-2.0

package import Runs

/// Runs the trials of a session one at a time, and stores each as soon as it ends.
///
/// Resuming skips stored trials. Finished trials are not kept in memory: the harness is as small after 300 as after
/// one.
package actor TrialRecorder {
    package struct Arm: Sendable {
        package var plan: Plan
        package var surroundings: TrialSurroundings
    }

    private let runners: [Side?: SlotRunner]
    private let name: String
    private let done: [Int: Trial]
    private let log: TrialLog
    private let onEvent: @Sendable (SessionEvent) -> Void
    private let assets: [String: Asset]

    /// Creates the recorder of a session with an arm for each side, or for `nil` in a run.
    package init(
        _ session: Session, arms: [Side?: Arm], onEvent: @escaping @Sendable (SessionEvent) -> Void
    ) throws(FetchBenchError) {
        var runners: [Side?: SlotRunner] = [:]
        for (side, arm) in arms { runners[side] = try SlotRunner(plan: arm.plan, surroundings: arm.surroundings) }
        self.runners = runners
        name = session.folder.name
        done = Dictionary(session.done.map { ($0.number, $0) }) { _, last in last }
        log = try TrialLog(session.folder)
        assets = Dictionary(session.record.plan.assets.map { ($0.name, $0) }) { first, _ in first }
        self.onEvent = onEvent
    }

    /// Runs one trial, or returns the stored one.
    /// - Throws: ``FetchBenchError`` if the harness cannot continue; `CancellationError` if it was stopped.
    package func trial(for step: SessionStep) async throws -> Trial {
        if let stored = done[step.slot.trial] { return try checked(stored, for: step) }
        try Task.checkCancellation()
        guard let runner = runners[step.pairing?.side] else { preconditionFailure("a side without an arm") }
        onEvent(.began(step))
        var (trial, series, sent) = try await runner.trial(for: step.slot, asset: assets[step.slot.cell.asset])
        // An interrupted trial does not count: resuming repeats it.
        try Task.checkCancellation()
        trial.pairing = step.pairing
        try log.append(trial, series: series, sent: sent)
        SessionEvent.ended(trial).map(onEvent)
        return trial
    }

    /// Runs a trial without storing it, and returns true if it completed; a failure takes the place of the trial.
    func warmUp(for step: SessionStep) async throws -> Bool {
        try Task.checkCancellation()
        guard let runner = runners[step.pairing?.side] else { preconditionFailure("a side without an arm") }
        onEvent(.began(step, isWarmup: true))
        var trial = try await runner.trial(for: step.slot, asset: assets[step.slot.cell.asset]).trial
        try Task.checkCancellation()
        guard !trial.isCompleted else { return true }
        trial.outcome.detail = "warm-up: " + trial.outcome.detail
        if done[step.slot.trial] == nil { try log.append(trial, series: [], sent: []) }
        SessionEvent.ended(trial).map(onEvent)
        return false
    }

    /// Refuses a stored trial that is not the one that the plan has under its number.
    private func checked(_ trial: Trial, for step: SessionStep) throws(FetchBenchError) -> Trial {
        guard trial.cell == step.slot.cell, trial.pairing == step.pairing else {
            throw FetchBenchError.malformedRun(
                name: name, reason: "trial \(trial.number) of trials.jsonl does not match the plan")
        }
        return trial
    }
}
