// SPDX-License-Identifier: Apache-2.0

package import Runs
import Statistics

/// Does the trials of a plan one after another.
///
/// A plain command that fails is given up, so that one which hangs is waited for once; the others go on.
package struct PlanRunner: Sendable {
    private let recorder: TrialRecorder
    private let plan: Plan

    /// Creates the runner of a session's plan.
    package init(
        _ session: Session, surroundings: TrialSurroundings, onEvent: @escaping @Sendable (SessionEvent) -> Void
    ) throws(FetchBenchError) {
        plan = session.record.plan
        recorder = try TrialRecorder(
            session, arms: [nil: TrialRecorder.Arm(plan: plan, surroundings: surroundings)], onEvent: onEvent)
    }

    /// Does the trials that are not done yet.
    /// - Throws: ``FetchBenchError`` where the harness itself cannot go on; `CancellationError` where it was stopped.
    package func run() async throws {
        let slots = plan.slots
        var givenUp = try await warmedUp(slots)
        for (index, slot) in slots.enumerated() where !givenUp.contains(slot.cell) {
            let step = SessionStep(slot: slot, position: index + 1, count: slots.count)
            let trial = try await recorder.trial(for: step)
            if slot.cell.isPlain, !trial.isCompleted { givenUp.insert(slot.cell) }
        }
    }

    /// Runs each plain command as often as it has to be warmed up; of that nothing is kept, and it is done again where a
    /// session is resumed.
    /// - Returns: those that failed, of which that is kept as their first trial.
    private func warmedUp(_ slots: [Plan.Slot]) async throws -> Set<Case> {
        let count = plan.settings.commands?.warmup ?? 0
        var generator = SeededGenerator(seed: plan.seed)
        var failed: Set<Case> = []
        for _ in 0..<count {
            for cell in plan.plainCases.shuffled(using: &generator) where !failed.contains(cell) {
                guard let slot = slots.first(where: { $0.cell == cell }) else { continue }
                if try await !recorder.warmUp(for: SessionStep(slot: slot, position: 0, count: slots.count)) {
                    failed.insert(cell)
                }
            }
        }
        return failed
    }
}
