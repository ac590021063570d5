// SPDX-License-Identifier: Apache-2.0

import Foundation
package import Judging
package import Runs
import Support
import Synchronization

/// The runs that were made so far; with a folder, each is on the disk the moment it ends.
package final class ExecSession: Sendable {
    /// The folder of what is stored, or `nil`.
    package let folder: RunFolder?

    private let draft: ExecReport
    private let log: AppendingFile?
    private let trials = Mutex<[ExecTrial]>([])

    /// Begins; a folder is made within `output`, and none that is there is touched.
    /// - Throws: ``FetchBenchError`` where it cannot be written.
    package init(
        _ plan: ExecPlan, tool: String, startedAt: String, environment: MachineEnvironment, output: String?
    ) throws(FetchBenchError) {
        draft = ExecReport(
            tool: tool, startedAt: startedAt, finishedAt: nil, plan: plan, environment: environment, trials: [])
        guard let output else {
            (folder, log) = (nil, nil)
            return
        }
        let folder = try RunFolder.create(
            named: startedAt.filter { $0 != "-" && $0 != ":" } + "-exec", in: output)
        self.folder = folder
        do throws(FetchBenchError) {
            log = try FetchBenchError.onFiles { () throws(FileFailure) in
                try AppendingFile(path: folder.path(of: .log), name: RunFolder.File.log.rawValue)
            }
        } catch {
            folder.removeIfEmpty()
            throw error
        }
    }

    /// Keeps a run.
    package func keep(_ trial: ExecTrial) throws(FetchBenchError) {
        if let log {
            let line = try RunCoding.compactText(of: trial)
            try FetchBenchError.onFiles { () throws(FileFailure) in try log.append(line) }
        }
        trials.withLock { $0.append(trial) }
    }

    /// How many runs are kept.
    package var count: Int { trials.withLock { $0.count } }

    /// What was measured so far.
    package func report(finishedAt: String?) -> ExecReport {
        ExecReport(
            tool: draft.tool, startedAt: draft.startedAt, finishedAt: finishedAt, plan: draft.plan,
            environment: draft.environment, trials: trials.withLock { $0 })
    }

    /// Writes everything that follows from the runs, where it is stored.
    package func store(
        _ report: ExecReport, as renderers: [any TextRenderer<ExecReport>]
    ) throws(FetchBenchError) {
        guard let folder else { return }
        for renderer in renderers {
            if let file = renderer.file { try folder.write(renderer.text(of: report), to: file) }
        }
    }
}
