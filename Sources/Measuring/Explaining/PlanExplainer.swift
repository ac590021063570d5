// SPDX-License-Identifier: Apache-2.0

package import Runs

/// Explains the cases of a plan one after another, in the environment of its trials.
package struct PlanExplainer: Sendable {
    private let plan: Plan
    private let subjects: TrialHost.Subjects
    private let recorder: RecorderLibrary
    private let harness: HarnessContext

    /// Throws ``FetchBenchError/noRecorder(reason:)`` if the recorder cannot be used.
    package init(
        _ plan: Plan, _ subjects: TrialHost.Subjects, in harness: HarnessContext
    ) throws(FetchBenchError) {
        self.plan = plan
        self.subjects = subjects
        self.harness = harness
        recorder = try RecorderLibrary(beside: harness.executable)
    }

    /// The cases that can be explained: all but the null case, which fetches nothing.
    package static func cells(of plan: Plan) -> [Case] { plan.cases.filter { $0.mode != Case.nullMode } }

    /// Explains every case; one that cannot be explained is an entry with its obstacle.
    ///
    /// - Parameter onBegin: called before each case with its position from 1.
    package func record(
        onBegin: @escaping @Sendable (_ cell: Case, _ position: Int, _ count: Int) -> Void
    ) async throws -> ExplanationRecord {
        let cells = Self.cells(of: plan)
        return try await TrialHost(plan, subjects, in: harness).run { [plan, recorder] surroundings in
            let explainer = try CaseExplainer(
                TrialRecorder.Arm(plan: plan, surroundings: surroundings), recorder: recorder)
            var entries: [ExplanationRecord.Entry] = []
            for (index, cell) in cells.enumerated() {
                try Task.checkCancellation()
                onBegin(cell, index + 1, cells.count)
                entries.append(try await explainer.entry(of: cell, number: index))
            }
            return ExplanationRecord(entries: entries)
        }
    }
}

extension CaseExplainer {
    /// Explains a case, or returns its obstacle; `number` is unique in these surroundings, from 0.
    func entry(of cell: Case, number: Int, side: Side? = nil) async throws -> ExplanationRecord.Entry {
        // Numbers above those of any plan, so that no folder's name is taken.
        let slot = Plan.Slot(trial: 900_000 + 2 * number, cell: cell, seed: seed)
        do {
            return try await explained(slot, asset: asset(of: cell), side: side)
        } catch FetchBenchError.notExplainable(_, let reason) {
            return ExplanationRecord.Entry(cell: cell.identifier, side: side, obstacle: reason)
        }
    }
}
