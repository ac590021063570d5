// SPDX-License-Identifier: Apache-2.0

package import Runs

/// The measurements behind a judgement, stored with the run instead of the judgement.
package struct JudgementEvidence: Hashable, Sendable {
    /// The run that was judged, or the trials of both sides.
    package var run: RunRecord
    /// The folder of the run.
    package var folder: RunFolder
    /// The history up to this check; empty if none is kept.
    package var history: [HistoryPoint]

    package init(run: RunRecord, folder: RunFolder, history: [HistoryPoint] = []) {
        self.run = run
        self.folder = folder
        self.history = history
    }
}

extension JudgementEvidence {
    /// Returns the change in each pair that a finding is based on, in the unit of the metric.
    package func changes(of finding: Finding) -> [Double] {
        guard let metric = run.metrics[finding.metric] else { return [] }
        let stage = finding.isConfirmed ? PairStage.confirmation : .screening
        let trials = run.trials.filter { $0.pairing?.stage == stage && $0.cell.identifier == finding.cell }
        let side = { (side: Side) in
            trials.filter { $0.pairing?.side == side }.sorted { $0.number < $1.number }
        }
        return zip(side(.base), side(.head)).compactMap { base, head in
            guard base.isCompleted, head.isCompleted, let first = metric.value(base), let second = metric.value(head)
            else { return nil }
            return second - first
        }
    }
}
