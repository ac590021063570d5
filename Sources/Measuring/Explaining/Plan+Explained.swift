// SPDX-License-Identifier: Apache-2.0

package import Runs

/// Called before each of several trials that are not measured, with its case and its position from 1.
package typealias ExtraTrialListener = @Sendable (_ cell: Case, _ position: Int, _ count: Int) -> Void

extension Plan {
    /// Explains every case; one that cannot be explained is an entry with its obstacle.
    /// - Throws: ``FetchBenchError/noRecorder(reason:)`` if the recorder cannot be used.
    package func explained(
        _ inputs: TrialInputs, onBegin: @escaping ExtraTrialListener
    ) async throws -> ExplanationRecord {
        let recorder = try RecorderLibrary(beside: inputs.harness.executable)
        return try await inputs.hosted(for: self) { inputs in
            try await explained(fetchingCases, [(nil, inputs)], recorder, onBegin)
        }
    }
}

extension PairedSession {
    /// Explains cases on both sides.
    package func explained(_ cells: [Case], onBegin: @escaping ExtraTrialListener) async throws -> ExplanationRecord {
        let recorder = try RecorderLibrary(beside: inputs.harness.executable)
        let plan = session.record.plan
        return try await inputs.hosted(for: plan) { inputs in
            let sides = try Side.allCases.map { (Optional($0), try self.inputs(of: $0, in: inputs)) }
            return try await plan.explained(cells, sides, recorder, onBegin)
        }
    }
}

extension Plan {
    fileprivate func explained(
        _ cells: [Case], _ sides: [(Side?, TrialInputs)], _ recorder: RecorderLibrary,
        _ onBegin: ExtraTrialListener
    ) async throws -> ExplanationRecord {
        let explainers = try sides.map { ($0, try CaseExplainer(self, $1, recorder: recorder)) }
        var entries: [ExplanationRecord.Entry] = []
        for cell in cells {
            for (side, explainer) in explainers {
                try Task.checkCancellation()
                onBegin(cell, entries.count + 1, cells.count * sides.count)
                entries.append(try await explainer.entry(of: cell, number: entries.count, side: side))
            }
        }
        return ExplanationRecord(entries: entries)
    }
}
