// SPDX-License-Identifier: Apache-2.0

package import Runs

/// Does the trials of a session one at a time, and stores each the moment it ends.
///
/// A trial that the folder holds already is not done again: that is what resuming is. It keeps none in memory that it
/// has done: 300 trials leave the harness as large as one.
package actor TrialRecorder {
    /// What a trial is done by: the plan and the surroundings of its side.
    package struct Arm: Sendable {
        /// Its plan: the same cases as the other's.
        package var plan: Plan
        /// What its trials run in.
        package var surroundings: TrialSurroundings

        /// Creates one.
        package init(plan: Plan, surroundings: TrialSurroundings) {
            self.plan = plan
            self.surroundings = surroundings
        }
    }

    private let runners: [Side?: SlotRunner]
    private let name: String
    private let done: [Int: Trial]
    private let log: TrialLog
    private let onEvent: @Sendable (SessionEvent) -> Void
    private var references: BodyReferences

    /// Creates the recorder of a session.
    /// - Parameter arms: by side what it is done by; under `nil` that of a run.
    package init(
        _ session: Session, arms: [Side?: Arm], onEvent: @escaping @Sendable (SessionEvent) -> Void
    ) throws(FetchBenchError) {
        var runners: [Side?: SlotRunner] = [:]
        for (side, arm) in arms { runners[side] = try SlotRunner(plan: arm.plan, surroundings: arm.surroundings) }
        self.runners = runners
        name = session.folder.name
        done = Dictionary(session.done.map { ($0.number, $0) }) { _, last in last }
        log = try TrialLog(session.folder)
        var references = BodyReferences(session.record.plan.assets)
        session.done.forEach { references.learn(from: $0) }
        self.references = references
        self.onEvent = onEvent
    }

    /// Does one trial, or finds it.
    /// - Throws: ``FetchBenchError`` where the harness itself cannot go on; `CancellationError` where it was stopped.
    package func trial(for step: SessionStep) async throws -> Trial {
        if let stored = done[step.slot.trial] { return try checked(stored, for: step) }
        try Task.checkCancellation()
        guard let runner = runners[step.pairing?.side] else { preconditionFailure("a side without an arm") }
        onEvent(.began(step))
        var (trial, series, sent) = try await runner.trial(for: step.slot, asset: references.asset(of: step.slot.cell))
        // What was cut off is no trial: resuming does it again.
        try Task.checkCancellation()
        trial.pairing = step.pairing
        try log.append(trial, series: series, sent: sent)
        references.learn(from: trial)
        SessionEvent.ended(trial).map(onEvent)
        return trial
    }

    /// Does what a trial does, and keeps nothing of it but a failure, which takes the place of the trial.
    /// - Returns: whether it went well.
    func warmUp(for step: SessionStep) async throws -> Bool {
        try Task.checkCancellation()
        guard let runner = runners[step.pairing?.side] else { preconditionFailure("a side without an arm") }
        onEvent(.began(step, isWarmup: true))
        var trial = try await runner.trial(for: step.slot, asset: references.asset(of: step.slot.cell)).trial
        try Task.checkCancellation()
        guard !trial.isCompleted else { return true }
        trial.outcome.detail = "warm-up: " + trial.outcome.detail
        if done[step.slot.trial] == nil { try log.append(trial, series: [], sent: []) }
        SessionEvent.ended(trial).map(onEvent)
        return false
    }

    /// What is stored under a number has to be what the plan has there, or the folder is not what it says.
    private func checked(_ trial: Trial, for step: SessionStep) throws(FetchBenchError) -> Trial {
        guard trial.cell == step.slot.cell, trial.pairing == step.pairing else {
            throw FetchBenchError.malformedRun(
                name: name, reason: "trial \(trial.number) of trials.jsonl is not the one that its plan has there")
        }
        return trial
    }
}
