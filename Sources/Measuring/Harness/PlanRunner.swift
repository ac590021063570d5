// SPDX-License-Identifier: Apache-2.0

package import Runs

/// Does the trials of a plan one after another.
package struct PlanRunner: Sendable {
    private let recorder: TrialRecorder
    private let slots: [Plan.Slot]

    /// Creates the runner of a session's plan.
    package init(
        _ session: Session, surroundings: TrialSurroundings, onEvent: @escaping @Sendable (SessionEvent) -> Void
    ) throws(FetchBenchError) {
        let plan = session.record.plan
        recorder = try TrialRecorder(
            session, arms: [nil: TrialRecorder.Arm(plan: plan, surroundings: surroundings)], onEvent: onEvent)
        slots = plan.slots
    }

    /// Does the trials that are not done yet.
    /// - Throws: ``FetchBenchError`` where the harness itself cannot go on; `CancellationError` where it was stopped.
    package func run() async throws {
        for (index, slot) in slots.enumerated() {
            _ = try await recorder.trial(for: SessionStep(slot: slot, position: index + 1, count: slots.count))
        }
    }
}
