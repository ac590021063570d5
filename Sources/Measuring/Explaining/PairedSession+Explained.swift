// SPDX-License-Identifier: Apache-2.0

package import Runs

extension PairedSession {
    /// Explains cases on both sides in extra, unmeasured trials; `onBegin` gets positions from 1.
    package func explained(
        _ cells: [Case], onBegin: @escaping @Sendable (_ cell: Case, _ position: Int, _ count: Int) -> Void
    ) async throws -> ExplanationRecord {
        let recorder = try RecorderLibrary(beside: harness.executable)
        return try await TrialHost(session.record.plan, subjects, in: harness).run { surroundings in
            let sides = try Side.allCases.map {
                ($0, try CaseExplainer(arm($0, surroundings), recorder: recorder))
            }
            var entries: [ExplanationRecord.Entry] = []
            for cell in cells {
                for (side, explainer) in sides {
                    try Task.checkCancellation()
                    onBegin(cell, entries.count + 1, cells.count * sides.count)
                    entries.append(try await explainer.entry(of: cell, number: entries.count, side: side))
                }
            }
            return ExplanationRecord(entries: entries)
        }
    }
}
