// SPDX-License-Identifier: Apache-2.0

import Judging
import MemProbe
package import Runs
import Statistics
import TrialKit

/// Completes a run's record from its trials: their allocators, foreign bodies and doubts.
package enum RunFinisher {
    /// Returns the completed record; `finishedAt` is `nil` for an interrupted run.
    package static func finished(_ run: RunRecord, trials: [Trial], finishedAt: String?) -> RunRecord {
        var run = run
        run.trials = trials
        run.finishedAt = finishedAt
        var references = BodyReferences(run.plan.assets)
        for trial in trials {
            references.learn(from: trial)
            if let allocator = trial.report?.allocator, trial.isCompleted, trial.report?.command == nil {
                run.environment.allocators[trial.cell.allocator.rawValue] = allocator
            }
        }
        run.plan.assets = run.plan.assets.map { asset in
            references.asset(of: Case(asset: asset.name, mode: "", render: "", allocator: .glibc)) ?? asset
        }
        run.warnings += RunDoubts.all(of: run)
        return run
    }
}
