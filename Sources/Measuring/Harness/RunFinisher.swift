// SPDX-License-Identifier: Apache-2.0

import Judging
import MemProbe
package import Runs
import Statistics
import TrialKit

/// Completes a run's record from its trials: their allocators and doubts.
package enum RunFinisher {
    /// Returns the completed record; `finishedAt` is `nil` for an interrupted run.
    package static func finished(_ run: RunRecord, trials: [Trial], finishedAt: String?) -> RunRecord {
        var run = run
        run.trials = trials
        run.finishedAt = finishedAt
        for trial in trials {
            if let allocator = trial.report?.allocator, trial.isCompleted, trial.report?.command == nil {
                run.environment.allocators[trial.cell.allocator.rawValue] = allocator
            }
        }
        run.warnings += RunDoubts.all(of: run)
        return run
    }
}
