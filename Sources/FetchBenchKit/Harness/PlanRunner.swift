// SPDX-License-Identifier: Apache-2.0

/// What happens while a plan is run; whoever shows progress listens.
package enum RunEvent: Sendable {
    /// A trial begins.
    case began(Plan.Slot, position: Int, of: Int)
    /// A trial ended and is stored.
    case ended(Trial, position: Int, of: Int)
}

/// Runs the trials of a plan one after another, and stores each the moment it ends.
///
/// It keeps none of them in memory: 300 trials leave the harness as large as one.
package struct PlanRunner: Sendable {
    private let plan: Plan
    private let surroundings: TrialSurroundings
    private let folder: RunFolder

    /// Creates a runner that stores in a folder.
    package init(plan: Plan, surroundings: TrialSurroundings, folder: RunFolder) {
        self.plan = plan
        self.surroundings = surroundings
        self.folder = folder
    }

    /// Does the trials that are not done yet.
    /// - Parameter done: the trials that the folder holds already.
    /// - Throws: ``FetchBenchError`` where the harness itself cannot go on; `CancellationError` where it was stopped.
    package func run(done: [Trial], onEvent: @Sendable (RunEvent) -> Void) async throws {
        let log = try TrialLog(folder)
        let runner = try SlotRunner(plan: plan, surroundings: surroundings)
        var references = BodyReferences(plan.assets)
        done.forEach { references.learn(from: $0) }
        let finished = Set(done.map(\.number))
        let slots = plan.slots
        for (index, slot) in slots.enumerated() where !finished.contains(slot.trial) {
            try Task.checkCancellation()
            onEvent(.began(slot, position: index + 1, of: slots.count))
            let (trial, series) = try await runner.trial(for: slot, asset: references.asset(of: slot.cell))
            // What was cut off is no trial: resuming does it again.
            try Task.checkCancellation()
            try log.append(trial, series: series)
            references.learn(from: trial)
            onEvent(.ended(trial, position: index + 1, of: slots.count))
        }
    }
}
