// SPDX-License-Identifier: Apache-2.0

package import Runs
import Statistics

/// Runs the trials of a plan one after another; gives up a plain command after its first failure.
package struct PlanRunner: Sendable {
    private let recorder: TrialRecorder
    private let plan: Plan
    private let done: [Trial]

    package init(
        _ session: Session, surroundings: TrialSurroundings, onEvent: @escaping @Sendable (SessionEvent) -> Void
    ) throws(FetchBenchError) {
        plan = session.record.plan
        done = session.done
        recorder = try TrialRecorder(
            session, arms: [nil: TrialRecorder.Arm(plan: plan, surroundings: surroundings)], onEvent: onEvent)
    }

    /// Runs the missing trials.
    /// - Throws: ``FetchBenchError`` if the harness cannot continue; `CancellationError` if it was stopped.
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

    /// Warms up each plain command that has trials left, and returns those that failed.
    ///
    /// Nothing is stored but a failure, as the command's first trial; a resumed session warms up again.
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

    /// True if all trials of a plain command are stored, or one that failed.
    private func isConcluded(_ cell: Case) -> Bool {
        let own = done.filter { $0.cell == cell }
        return own.count >= plan.trials || own.contains { !$0.isCompleted }
    }
}
