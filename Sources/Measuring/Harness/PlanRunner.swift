// SPDX-License-Identifier: Apache-2.0

package import Runs
import Statistics

/// Does the trials of a plan one after another; a plain command that fails is given up.
package struct PlanRunner: Sendable {
    private let recorder: TrialRecorder
    private let plan: Plan
    private let done: [Trial]

    /// Creates the runner of a session's plan.
    package init(
        _ session: Session, surroundings: TrialSurroundings, onEvent: @escaping @Sendable (SessionEvent) -> Void
    ) throws(FetchBenchError) {
        plan = session.record.plan
        done = session.done
        recorder = try TrialRecorder(
            session, arms: [nil: TrialRecorder.Arm(plan: plan, surroundings: surroundings)], onEvent: onEvent)
    }

    /// Does the trials that are not done yet.
    /// - Throws: ``FetchBenchError`` where the harness itself cannot go on; `CancellationError` where it was stopped.
    package func run() async throws {
        let failed = try await warmedUp()
        var rounds = plan.rounds
        failed.forEach { rounds.giveUp($0) }
        while let turn = rounds.next() {
            let step = SessionStep(slot: Plan.Slot(turn), position: turn.position, count: turn.count)
            let trial = try await recorder.trial(for: step)
            if turn.subject.isPlain, !trial.isCompleted { rounds.giveUp(turn.subject) }
        }
    }

    /// Runs each plain command of which a trial is left to do as often as it has to be warmed up; of that nothing is kept,
    /// and it is done again where a session is resumed.
    /// - Returns: those that failed, of which that is kept as their first trial.
    private func warmedUp() async throws -> Set<Case> {
        let count = plan.settings.commands?.warmup ?? 0
        guard count > 0 else { return [] }
        let slots = plan.slots
        var rounds = Rounds(of: plan.plainCases, count: count, seed: plan.seed)
        let concluded = plan.plainCases.filter(isConcluded)
        concluded.forEach { rounds.giveUp($0) }
        while let turn = rounds.next() {
            guard let slot = slots.first(where: { $0.cell == turn.subject }) else { continue }
            if try await !recorder.warmUp(for: SessionStep(slot: slot, position: 0, count: slots.count)) {
                rounds.giveUp(turn.subject)
            }
        }
        return rounds.givenUp.subtracting(concluded)
    }

    /// Whether nothing is left to do of a plain command: all is stored, or that it was given up.
    private func isConcluded(_ cell: Case) -> Bool {
        let own = done.filter { $0.cell == cell }
        return own.count >= plan.trials || own.contains { !$0.isCompleted }
    }
}
